package io.farheap.simulation;

import io.farheap.agent.replica.SimulatedFiles;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import java.util.List;

/** Runs one history of a cluster after the other; loaded and called by {@code SimulationRun}. */
public final class ClusterHistories {
    private static final int HISTORIES_PER_COLLECTION = 50;
    private static ClusterMedia media;
    private static long count;

    private ClusterHistories() {}

    /** No more histories: the disks of all machines are given back. */
    public static void end() {
        SimulatedFiles.connectTo(null);
        World.endAll();
        media = null;
    }

    /** As {@link Histories#run}. */
    public static List<String> run(long seed, boolean noted) {
        if (media == null) {
            media = new ClusterMedia();
            // What is made once and for all of a process takes its steps in the first history.
            var unused = history(0, false);
        }
        if (++count % HISTORIES_PER_COLLECTION == 0) {
            System.gc(); // as Histories do
        }
        return history(seed, noted);
    }

    private static List<String> history(long seed, boolean noted) {
        media.restore();
        Trace trace = new Trace(noted);
        return HistoryReport.of(new ClusterHistory(seed, media, Histories.POOLSETS, trace), trace);
    }
}
