package io.farheap.simulation;

import io.farheap.ObjectPool;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import java.util.function.BiConsumer;

/**
 * A program that knows nothing of replicas, as one written in C: it recovers the pool, gives it the
 * next number, changes it and closes it. Nothing disturbs it.
 */
final class NativeProgram {
    private final World world;
    private final Site site;
    private final Ledger ledger;
    private final int which;

    NativeProgram(World world, Site site, Ledger ledger, int which) {
        this.world = world;
        this.site = site;
        this.ledger = ledger;
        this.which = which;
    }

    /**
     * Starts it.
     *
     * @param onOpen looks at the pool when it is open
     * @param then when it has ended
     */
    void run(Runnable onOpen, Runnable then) {
        SimProcess process = new SimProcess(world, site.initiator(which), "native");
        process.atDeath(then);
        Thread unused =
                process.start(
                        "main",
                        () -> {
                            world.count(Happening.NATIVE_OPEN);
                            ObjectPool pool = site.openNatively(which);
                            commitOnce(pool, ledger, ledger::recover, onOpen);
                            process.kill();
                            SimProcess.vanish();
                        });
    }

    /**
     * Commits once for each thread's row, and closes the pool.
     *
     * @param found told what each row shows first
     * @param onOpen looks at the pool then
     */
    static void commitOnce(
            ObjectPool pool, Ledger ledger, BiConsumer<Integer, Row> found, Runnable onOpen) {
        Cells cells = new Cells(pool);
        for (int thread = 0; thread < ledger.threads(); thread++) {
            found.accept(thread, cells.read(thread));
        }
        onOpen.run();
        for (int thread = 0; thread < ledger.threads(); thread++) {
            Row from = ledger.acknowledged(thread);
            Row to = ledger.begin(thread);
            cells.change(thread, from, to);
            ledger.acknowledge(thread, to);
        }
        pool.close();
    }
}
