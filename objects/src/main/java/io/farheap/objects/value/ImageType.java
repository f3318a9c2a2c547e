package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;
import java.lang.foreign.MemorySegment;
import java.time.DateTimeException;

/** Values of a fixed size that is no machine word's: a slot is their image. */
abstract class ImageType<T> extends ValueType<T> {
    @Override
    public T get(HeapTransaction tx, long object, long offset) {
        return get(tx, image(tx, object, offset), object + offset);
    }

    @Override
    public T taken(HeapTransaction tx, long object, long offset) {
        return get(tx, image(tx, object, offset).leaving(), object + offset);
    }

    private T get(HeapTransaction tx, ValueImage image, long place) {
        try {
            return load(tx, image, 0);
        } catch (DateTimeException | ArithmeticException e) {
            throw damaged(text(), place, e);
        }
    }

    final ValueImage image(HeapTransaction tx, long object, long offset) {
        byte[] bytes = new byte[size()];
        tx.read(object, offset, MemorySegment.ofArray(bytes), 0, bytes.length);
        return new ValueImage(bytes);
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, T value) {
        ValueImage image = new ValueImage(size());
        store(image, 0, value);
        if (namesObjects()) {
            reach(image, 0, new ReferredObjects(tx));
        }
        write(tx, object, offset, image);
    }

    @Override
    public void keep(HeapTransaction tx, long object, long offset, T value) {
        ValueImage image = new ValueImage(size());
        store(image, 0, value);
        write(tx, object, offset, image);
    }

    private static void write(HeapTransaction tx, long object, long offset, ValueImage image) {
        byte[] bytes = image.toBytes();
        tx.write(object, offset, MemorySegment.ofArray(bytes), 0, bytes.length);
    }
}
