package io.farheap;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.Ref;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/** Bytes stored outside transactions, for tests that cut the power in each call. */
final class MemorySteps {
    private MemorySteps() {}

    /** The root has 3000 bytes before. */
    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("memory: fill", pool -> pool.memory().fill(pool.root(), 1300, 111, (byte) 4));
        steps.put(
                "memory: move inside an object",
                pool -> pool.memory().move(pool.root(), 1300, pool.root(), 1340, 120));
        steps.put("memory: copy from elsewhere", MemorySteps::copyFromElsewhere);
        steps.put("memory: set one word", MemorySteps::setOneWord);
        steps.put("memory: one word, not atomic", MemorySteps::oneWordNotAtomic);
        steps.put("memory: grow the root, constructed", MemorySteps::growTheRoot);
        return steps;
    }

    private static void copyFromElsewhere(ObjectPool pool) {
        byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        pool.memory().copy(MemorySegment.ofArray(bytes), 1, pool.root(), 1301, 11);
    }

    private static void setOneWord(ObjectPool pool) {
        long root = pool.root().offset();
        pool.memory().raw().setLong(root, 1304, pool.raw().getLong(root, 1304) + 1);
    }

    private static void oneWordNotAtomic(ObjectPool pool) {
        byte[] bytes = {21, 22, 23, 24, 25, 26, 27, 28};
        long root = pool.root().offset();
        long offset = 1312 - (root & 7);
        pool.memory().raw().persistBytes(root, offset, MemorySegment.ofArray(bytes), 0, 8);
    }

    private static void growTheRoot(ObjectPool pool) {
        Ref unused = pool.root(pool.rootSize() + 1000, root -> root.fill(2900, 200, (byte) 5));
    }
}
