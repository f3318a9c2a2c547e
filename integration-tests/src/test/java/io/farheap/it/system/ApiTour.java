package io.farheap.it.system;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Every area of the API, used on one pool step by step; a tour can be made again and again, and
 * begins wherever another one was interrupted.
 *
 * <p>As a program (argument: pool) it goes round until it is killed, and tells how many steps have
 * returned.
 */
final class ApiTour {
    static final String LAYOUT = "tour";

    private static final long ROOT_BYTES = 4096;
    private static final long COUNTER = 0;

    private ApiTour() {}

    public static void main(String[] args) throws Exception {
        try (ObjectPool pool = ObjectPool.open(Path.of(args[0]), LAYOUT)) {
            while (true) {
                for (Consumer<ObjectPool> step : steps().values()) {
                    step.accept(pool);
                    long done = count(pool);
                    // One write, so that a kill leaves the whole line in the pipe or nothing.
                    System.out.write((done + "\n").getBytes(StandardCharsets.UTF_8));
                    System.out.flush();
                }
            }
        }
    }

    /** The steps by their names, in an order that leaves each something to work on. */
    static Map<String, Consumer<ObjectPool>> steps() {
        Map<String, Consumer<ObjectPool>> steps = new LinkedHashMap<>();
        steps.put("make the root, or clear up", ApiTour::begin);
        ObjectTour.addTo(steps);
        HeapTour.addTo(steps);
        TransactionTour.addTo(steps);
        MemoryTour.addTo(steps);
        ListTour.addTo(steps);
        return steps;
    }

    private static void begin(ObjectPool pool) {
        Ref root = pool.root(ROOT_BYTES);
        pool.transaction(
                tx -> {
                    tx.objects().forEach(tx::free);
                    tx.fill(root, Long.BYTES, ROOT_BYTES - Long.BYTES, (byte) 0);
                });
    }

    private static long count(ObjectPool pool) {
        long done = steps(pool) + 1;
        pool.setLong(pool.root(), COUNTER, done);
        return done;
    }

    /**
     * Changes nothing, but is a commit: an agent hears with the next record that the one before was
     * committed, or a while later.
     */
    static void hurry(ObjectPool pool) {
        pool.setLong(pool.root(), COUNTER, steps(pool));
    }

    /** How many steps have returned in a pool that was used by the program. */
    static long steps(ObjectPool pool) {
        return pool.getLong(pool.root(), COUNTER);
    }
}
