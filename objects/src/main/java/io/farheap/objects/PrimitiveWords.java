package io.farheap.objects;

/** Boxes of primitive fields to and from the words that accessors hand over. */
final class PrimitiveWords {
    private PrimitiveWords() {}

    /** Null is 0. */
    static long toWord(Object value) {
        if (value == null) {
            return 0;
        }
        if (value instanceof Double) {
            return Double.doubleToLongBits((Double) value);
        }
        if (value instanceof Float) {
            return Float.floatToIntBits((Float) value);
        }
        if (value instanceof Character) {
            return (Character) value;
        }
        if (value instanceof Boolean) {
            return (Boolean) value ? 1 : 0;
        }
        return ((Number) value).longValue();
    }

    static Object fromWord(long word, Class<?> primitive) {
        return switch (primitive.getName()) {
            case "boolean" -> word != 0;
            case "byte" -> (byte) word;
            case "short" -> (short) word;
            case "char" -> (char) word;
            case "int" -> (int) word;
            case "float" -> Float.intBitsToFloat((int) word);
            case "double" -> Double.longBitsToDouble(word);
            default -> word;
        };
    }
}
