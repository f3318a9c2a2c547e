package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Objects;

/**
 * An array: {@code byte[]} and {@code Byte[]} as its bytes, others as the number of elements and
 * their images.
 *
 * <pre>
 *   0  number of elements, 4 B   8  elements, each at a multiple of its alignment   what they need
 * </pre>
 *
 * Null elements are kept where an element can be null by itself, and refused elsewhere. Equal are
 * arrays of equal elements.
 */
public final class ArrayType extends VariableType<Object> {
    public static final ArrayType BYTES = new ArrayType(byte.class, Primitives.BYTE);

    private static final int ELEMENTS_AT = 8;

    private final Class<?> component;
    private final ValueType<Object> element;
    private final int stride;

    @SuppressWarnings("unchecked")
    public ArrayType(Class<?> component, ValueType<?> element) {
        super(element.text() + "[]");
        this.component = component;
        this.element = (ValueType<Object>) element;
        int alignment = element.imageAlignment();
        this.stride = (element.imageSize() + alignment - 1) & -alignment;
    }

    @Override
    byte[] encode(Object value) {
        if (component == byte.class) {
            return ((byte[]) value).clone();
        }
        int length = Array.getLength(value);
        if (areBytes()) {
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                bytes[i] = (Byte) Array.get(value, i);
            }
            return bytes;
        }
        int end = Math.addExact(ELEMENTS_AT, Math.multiplyExact(length, stride));
        ValueImage image = new ValueImage(end);
        image.putInt(0, length);
        for (int i = 0; i < length; i++) {
            element.store(image, ELEMENTS_AT + i * stride, Array.get(value, i));
        }
        return image.toBytes();
    }

    /** Who reads the pool by its type table sees no difference between a byte and its box. */
    private boolean areBytes() {
        return element.text().equals(Primitives.BYTE.text());
    }

    @Override
    Object decode(HeapTransaction tx, byte[] bytes) {
        if (component == byte.class) {
            return bytes;
        }
        if (areBytes()) {
            Object boxes = Array.newInstance(component, bytes.length);
            for (int i = 0; i < bytes.length; i++) {
                Array.set(boxes, i, bytes[i]);
            }
            return boxes;
        }
        return elements(tx, new ValueImage(bytes), bytes);
    }

    @Override
    Object decodeLeaving(HeapTransaction tx, byte[] bytes) {
        return namesObjects()
                ? elements(tx, new ValueImage(bytes).leaving(), bytes)
                : decode(tx, bytes);
    }

    private Object elements(HeapTransaction tx, ValueImage image, byte[] bytes) {
        int length = lengthOf(image, bytes);
        Object array = Array.newInstance(component, length);
        for (int i = 0; i < length; i++) {
            Array.set(array, i, element.load(tx, image, ELEMENTS_AT + i * stride));
        }
        return array;
    }

    /** Refuses a length that the bytes can't have before anything of that length is made. */
    private int lengthOf(ValueImage image, byte[] bytes) {
        int length = image.getInt(0);
        if (length < 0 || (long) length * stride > bytes.length - ELEMENTS_AT) {
            throw new IndexOutOfBoundsException(length + " elements in " + bytes.length + " bytes");
        }
        return length;
    }

    @Override
    public int hash(Object value) {
        return LongType.hashOf(Arrays.hashCode(encode(value)));
    }

    @Override
    public boolean isEqual(HeapTransaction tx, long object, long offset, Object value) {
        return Objects.deepEquals(taken(tx, object, offset), value);
    }

    @Override
    public boolean isComparable() {
        return false;
    }

    @Override
    public boolean namesObjects() {
        return !areBytes() && element.namesObjects();
    }

    @Override
    void reach(byte[] bytes, Reach reach) {
        ValueImage image = new ValueImage(bytes);
        int length = lengthOf(image, bytes);
        for (int i = 0; i < length; i++) {
            element.reach(image, ELEMENTS_AT + i * stride, reach);
        }
    }
}
