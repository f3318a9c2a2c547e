package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * One commit with one replica, beside a raw ping-pong of the same two processes that waits in the
 * same way. Short batches of both alternate, so that whatever else the machine does meets both; the
 * first few of each batch, when threads of the other kind still spin, do not count. Some batches
 * are a turn: how far the ratios of turns are apart tells how far the ratio of all may be off.
 */
final class ReplicatedCommits {
    private static final int BATCH = 400;
    private static final int SETTLING = 100;
    private static final int TURNS = 10;

    private ReplicatedCommits() {}

    static void run(Site site, int batches) throws IOException, InterruptedException {
        WaitStrategy waiting = Site.waiting();
        int turns = Math.min(TURNS, batches);
        int each = batches / turns;
        double[] medians = new double[turns];
        double[] tails = new double[turns];
        Histogram raw = Figures.histogram();
        Histogram commits = Figures.histogram();
        long garbage = 0;
        try (ObjectPool pool = site.openReplicated();
                SocketChannel channel = SocketChannel.open(echo(site));
                RawEnd end = new RawEnd(channel, waiting)) {
            SmallCommit commit = new SmallCommit(pool);
            Sides warmingUp = new Sides(Figures.histogram(), Figures.histogram());
            long unused = warmingUp.alternate(end, commit, batches / 2);
            for (int turn = 0; turn < turns; turn++) {
                Sides sides = new Sides(Figures.histogram(), Figures.histogram());
                garbage += sides.alternate(end, commit, each);
                medians[turn] = sides.ratio(50);
                tails[turn] = sides.ratio(99);
                raw.add(sides.raw);
                commits.add(sides.commits);
            }
        }
        Figures.circumstances(waiting, 1);
        Figures.line("raw 64 B ping-pong", raw);
        Figures.line("64 B transaction, one replica", commits);
        Figures.ratio("ratio", commits, raw);
        Figures.text(
                "%-44s p50 %s   p99 %s",
                "ratios of " + turns + " turns: median, least to most",
                spread(medians),
                spread(tails));
        Figures.text(
                "garbage of the committing thread: %.3f bytes per commit",
                (double) garbage / (turns * each) / (SETTLING + BATCH));
    }

    private static String spread(double[] ratios) {
        double[] sorted = ratios.clone();
        Arrays.sort(sorted);
        return "%.2f, %.2f to %.2f"
                .formatted(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
    }

    /** The times of both. */
    private record Sides(Histogram raw, Histogram commits) {
        /**
         * @return what the committing thread allocated meanwhile, in bytes
         */
        long alternate(RawEnd end, SmallCommit commit, int batches) throws IOException {
            long garbage = 0;
            for (int batch = 0; batch < batches; batch++) {
                pingPong(end, raw);
                long before = Figures.allocatedByThisThread();
                commit(commit, commits);
                garbage += Figures.allocatedByThisThread() - before;
            }
            return garbage;
        }

        double ratio(double percentile) {
            return Figures.micros(commits, percentile) / Figures.micros(raw, percentile);
        }
    }

    private static InetSocketAddress echo(Site site) throws IOException, InterruptedException {
        int port = AgentPorts.ofTheLastAgent(site.directory()).echo();
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static void pingPong(RawEnd end, Histogram times) throws IOException {
        for (int i = -SETTLING; i < BATCH; i++) {
            long begin = System.nanoTime();
            end.send();
            if (!end.receive()) {
                throw new IOException("the echo ended");
            }
            long time = System.nanoTime() - begin;
            if (i >= 0) {
                times.recordValue(time);
            }
        }
    }

    private static void commit(SmallCommit commit, Histogram times) {
        for (int i = -SETTLING; i < BATCH; i++) {
            long begin = System.nanoTime();
            commit.run();
            long time = System.nanoTime() - begin;
            if (i >= 0) {
                times.recordValue(time);
            }
        }
    }
}
