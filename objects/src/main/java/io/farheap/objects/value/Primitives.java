package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/** The primitive types besides {@code long}, as in Java, and their boxes where none is null. */
public final class Primitives {
    public static final ValueType<Integer> INT =
            new BitsType<>("int", Integer.BYTES) {
                @Override
                Integer of(long bits) {
                    return (int) bits;
                }

                @Override
                long bits(Integer value) {
                    return value;
                }

                @Override
                public int compare(HeapTransaction tx, long object, long offset, Integer value) {
                    return Integer.compare(tx.getInt(object, offset), value);
                }
            };

    public static final ValueType<Short> SHORT =
            new BitsType<>("short", Short.BYTES) {
                @Override
                Short of(long bits) {
                    return (short) bits;
                }

                @Override
                long bits(Short value) {
                    return value;
                }
            };

    public static final ValueType<Byte> BYTE =
            new BitsType<>("byte", Byte.BYTES) {
                @Override
                Byte of(long bits) {
                    return (byte) bits;
                }

                @Override
                long bits(Byte value) {
                    return value;
                }
            };

    public static final ValueType<Character> CHAR =
            new BitsType<>("char", Character.BYTES) {
                @Override
                Character of(long bits) {
                    return (char) bits;
                }

                /** With the sign that the number in the pool is read with. */
                @Override
                long bits(Character value) {
                    return (short) value.charValue();
                }
            };

    public static final ValueType<Boolean> BOOLEAN =
            new BitsType<>("boolean", Byte.BYTES) {
                @Override
                Boolean of(long bits) {
                    return bits != 0;
                }

                @Override
                long bits(Boolean value) {
                    return value ? 1 : 0;
                }
            };

    public static final ValueType<Float> FLOAT =
            new BitsType<>("float", Float.BYTES) {
                @Override
                Float of(long bits) {
                    return Float.intBitsToFloat((int) bits);
                }

                @Override
                long bits(Float value) {
                    return Float.floatToIntBits(value);
                }
            };

    public static final ValueType<Double> DOUBLE =
            new BitsType<>("double", Double.BYTES) {
                @Override
                Double of(long bits) {
                    return Double.longBitsToDouble(bits);
                }

                @Override
                long bits(Double value) {
                    return Double.doubleToLongBits(value);
                }
            };

    private Primitives() {}
}
