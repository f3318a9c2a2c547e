package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.ValueType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/** A pool of a test, and what lies in it. */
final class OpenHeap implements AutoCloseable {
    final HeapTransactions heap;
    private final ObjectPool pool;
    private final Path file;

    private OpenHeap(ObjectPool pool, Path file) {
        this.pool = pool;
        this.file = file;
        this.heap = new HeapTransactions(pool);
    }

    static OpenHeap create(long bytes) {
        try {
            Path file = Files.createTempDirectory("collections").resolve("pool");
            return new OpenHeap(ObjectPool.at(file).layout("objects").size(bytes).create(), file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    <C> long create(CollectionType<C> type) {
        return heap.transaction(type::create);
    }

    void delete(CollectionType<?> type, long header) {
        DeletedCollections.delete(heap, type, header);
    }

    /** All that is allocated belongs to the collection, and all that belongs to it is allocated. */
    void assertOwnsAll(CollectionType<?> type, long header) {
        assertOwnsAll(pool, heap, type, header);
    }

    static void assertOwnsAll(
            ObjectPool pool, HeapTransactions heap, CollectionType<?> type, long header) {
        Set<Long> allocated = new TreeSet<>();
        for (Ref object : pool.objects()) {
            allocated.add(object.offset());
        }
        Set<Long> owned = heap.read(tx -> owned(tx, type, header));
        Set<Long> leaked = new TreeSet<>(allocated);
        leaked.removeAll(owned);
        Set<Long> dangling = new TreeSet<>(owned);
        dangling.removeAll(allocated);
        assertThat(leaked).as("allocated and owned by nothing").isEmpty();
        assertThat(dangling).as("owned and not allocated").isEmpty();
    }

    /** How many are allocated. */
    long objects() {
        return StreamSupport.stream(pool.objects().spliterator(), false).count();
    }

    void assertEmpty() {
        assertThat(objects()).isZero();
    }

    private static Set<Long> owned(HeapTransaction tx, CollectionType<?> type, long header) {
        List<Long> owned = new ArrayList<>();
        type.walk(
                tx,
                header,
                new CollectionVisitor() {
                    @Override
                    public void object(long offset) {
                        owned.add(offset);
                    }

                    @Override
                    public void slot(ValueType<?> slotType, long object, long offset) {
                        if (slotType == OwnedText.TEXT) {
                            owned.add(tx.getLong(object, offset));
                        }
                    }
                });
        Set<Long> once = new TreeSet<>(owned);
        assertThat(owned).hasSameSizeAs(once);
        return once;
    }

    @Override
    public void close() {
        pool.close();
        try {
            Files.delete(file);
            Files.delete(file.getParent());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
