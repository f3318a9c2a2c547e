package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/**
 * One commit with one replica, beside a raw ping-pong of the same two processes that waits in the
 * same way. Short batches of both alternate, so that whatever else the machine does meets both; the
 * first few of each batch, when threads of the other kind still spin, do not count.
 */
final class ReplicatedCommits {
    private static final int BATCH = 400;
    private static final int SETTLING = 100;

    private ReplicatedCommits() {}

    static void run(Site site, int batches) throws IOException, InterruptedException {
        WaitStrategy waiting = Site.waiting();
        Histogram raw = Figures.histogram();
        Histogram commits = Figures.histogram();
        long garbage = 0;
        try (ObjectPool pool = site.openReplicated();
                SocketChannel channel = SocketChannel.open(echo(site));
                RawEnd end = new RawEnd(channel, waiting)) {
            SmallCommit commit = new SmallCommit(pool);
            for (int batch = -batches / 2; batch < batches; batch++) {
                if (batch == 0) {
                    raw.reset();
                    commits.reset();
                    garbage = 0;
                }
                pingPong(end, raw);
                long before = Figures.allocatedByThisThread();
                commit(commit, commits);
                garbage += Figures.allocatedByThisThread() - before;
            }
        }
        Figures.circumstances(waiting, 1);
        Figures.line("raw 64 B ping-pong", raw);
        Figures.line("64 B transaction, one replica", commits);
        Figures.ratio("ratio", commits, raw);
        Figures.text(
                "garbage of the committing thread: %.3f bytes per commit",
                (double) garbage / batches / (SETTLING + BATCH));
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
