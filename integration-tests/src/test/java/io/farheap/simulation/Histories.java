package io.farheap.simulation;

import io.farheap.ObjectPool;
import io.farheap.agent.replica.SimulatedFiles;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import io.farheap.testing.support.MemoryPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs one history after the other; loaded and called by {@code SimulationRun}. */
public final class Histories {
    private static final long BOUND = 60_000_000_000L;
    static final Path POOLSETS = poolsets();
    private static final int HISTORIES_PER_COLLECTION = 50;
    private static Media media = new Media();
    private static boolean begun;
    private static long count;

    private Histories() {}

    private static Path poolsets() {
        try {
            Path directory = Files.createTempDirectory("simulation");
            directory.toFile().deleteOnExit(); // after the file in it: last registered, first gone
            Path set = directory.resolve("replica.set");
            Files.writeString(set, "PMEMPOOLSET\n8M /simulated/replica.part\n");
            set.toFile().deleteOnExit();
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A pool with nothing in it but its root, and three replicas that have all of it. */
    private static void makeBeginning() {
        World world = new World(0, 1000, new Trace(false));
        MemoryPool.format(media.local(0).memory(), "test");
        Site site = new Site(world, media, Plan.calm(), POOLSETS);
        SimProcess process = new SimProcess(world, site.initiator(0), "program");
        Thread main =
                process.start(
                        "main",
                        () -> {
                            ObjectPool pool = site.open(0, false, false);
                            var unused = pool.root(Cells.ROOT_BYTES);
                            pool.close();
                        });
        world.run(() -> !main.isAlive(), BOUND);
        site.end();
        world.end();
        media.keepAsBeginning();
    }

    /** No more histories: the disks of all machines are given back. */
    public static void end() {
        SimulatedFiles.connectTo(null);
        World.endAll();
        media = null;
    }

    /**
     * Runs the history of a seed.
     *
     * @return its failure, its summary, the hash of its trace, what happened how often, and the
     *     notes if {@code noted}
     */
    public static List<String> run(long seed, boolean noted) {
        if (!begun) {
            makeBeginning();
            begun = true;
        }
        if (++count % HISTORIES_PER_COLLECTION == 0) {
            // Else the product's native memory is used up before the heap is: the JDK then waits
            // for its collector, in real time.
            System.gc();
        }
        media.restore();
        Trace trace = new Trace(noted);
        return HistoryReport.of(new History(seed, media, POOLSETS, trace), trace);
    }
}
