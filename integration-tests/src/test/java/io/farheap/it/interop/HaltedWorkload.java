package io.farheap.it.interop;

import io.farheap.ObjectPool;
import java.nio.file.Path;

/** A program that works on a pool with all its replicas, and is halted without closing it. */
final class HaltedWorkload {
    static final int HALTED = 42;

    private HaltedWorkload() {}

    /** Arguments: the pool, a seed, how many transactions. */
    public static void main(String[] args) {
        // Never closed: the process ends first.
        ObjectPool pool = ObjectPool.open(Path.of(args[0]), "");
        new RandomWorkload(pool, Long.parseLong(args[1])).run(Integer.parseInt(args[2]));
        Runtime.getRuntime().halt(HALTED);
    }
}
