package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Everything a program can see of a pool: the root, and every object with type and content. */
record PoolState(long rootSize, Map<Long, String> objects) {

    static PoolState of(ObjectPool pool) {
        Map<Long, String> objects = new TreeMap<>();
        if (!pool.root().isNull()) {
            objects.put(pool.root().offset(), "root " + content(pool, pool.root()));
        }
        for (Ref object : pool.objects()) {
            objects.put(object.offset(), "type " + pool.typeNumber(object) + content(pool, object));
        }
        return new PoolState(pool.rootSize(), objects);
    }

    private static String content(ObjectPool pool, Ref object) {
        byte[] bytes = pool.readBytes(object, 0, (int) pool.usableSize(object));
        String start = Arrays.toString(Arrays.copyOf(bytes, Math.min(32, bytes.length)));
        return " size " + bytes.length + " hash " + Arrays.hashCode(bytes) + " " + start;
    }

    /** Walks the heap from its bytes: consistent, and nothing is allocated that nobody can name. */
    static void assertHeapIsSound(PoolMemory memory, String where) {
        Descriptor descriptor = new Descriptor(memory);
        List<String> wrong = new ArrayList<>();
        List<Long> internal = new ArrayList<>();
        HeapWalk.walk(
                memory.image(),
                descriptor.heapOffset(),
                descriptor.heapSize(),
                new HeapWalk.Visitor() {
                    @Override
                    public void object(HeapWalk.HeapObject object) {
                        if (object.internal()) {
                            internal.add(object.userOffset());
                        }
                    }

                    @Override
                    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                        wrong.add(inconsistency.message());
                    }
                });
        assertThat(wrong).as(where).isEmpty();
        internal.remove(descriptor.rootOffset());
        assertThat(internal).as("leaked log extensions, " + where).isEmpty();
    }
}
