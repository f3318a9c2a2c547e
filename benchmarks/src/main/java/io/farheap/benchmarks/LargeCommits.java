package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionBody;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/**
 * Commits of one thread that each write 1 MiB, with one replica, beside the same bytes on a raw
 * socket between the same two processes: as fast as they go, and each block answered before the
 * next. All in turns.
 */
final class LargeCommits {
    private static final int BLOCKS = 100;
    private static final int TYPE = 1;

    private LargeCommits() {}

    /** What one turn does. */
    private interface Side {
        void send(int blocks) throws IOException;
    }

    static void run(Site site, int turns) throws IOException, InterruptedException {
        double[] streamed = new double[turns];
        double[] answered = new double[turns];
        double[] commits = new double[turns];
        long rawCpu = 0;
        long commitCpu = 0;
        try (ObjectPool pool = site.openReplicated();
                SocketChannel channel = SocketChannel.open(blocks(site))) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Raw raw = new Raw(channel);
            Commit commit = new Commit(pool);
            for (int turn = -(turns + 1) / 2; turn < turns; turn++) {
                int at = Math.max(turn, 0);
                answered[at] = rate(raw::answered);
                long begin = Figures.cpuOfThisThread();
                streamed[at] = rate(raw::stream);
                long between = Figures.cpuOfThisThread();
                commits[at] = rate(commit::run);
                if (turn >= 0) {
                    rawCpu += between - begin;
                    commitCpu += Figures.cpuOfThisThread() - between;
                }
            }
        }
        Figures.circumstances(Site.waiting(), 1);
        report("raw, as fast as it goes", streamed);
        report("raw, each answered before the next", answered);
        report("1 MiB transactions, one replica", commits);
        Figures.text(
                "%-44s %8.2f of the raw stream, %.2f of the answered one",
                "ratio", median(commits) / median(streamed), median(commits) / median(answered));
        Figures.text(
                "%-44s %8.2f ms of CPU for 1 MiB; raw stream %.2f ms",
                "the committing thread",
                commitCpu / 1e6 / turns / BLOCKS,
                rawCpu / 1e6 / turns / BLOCKS);
    }

    private static InetSocketAddress blocks(Site site) throws IOException, InterruptedException {
        int port = AgentPorts.ofTheLastAgent(site.directory()).blocks();
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Bytes per second. */
    private static double rate(Side side) throws IOException {
        long begin = System.nanoTime();
        side.send(BLOCKS);
        return 1e9 * BLOCKS * BlockServer.BLOCK / (System.nanoTime() - begin);
    }

    private static double median(double[] rates) {
        double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void report(String what, double[] rates) {
        Figures.text(
                "%-44s %8.0f MB/s   %6.0f to %6.0f",
                what,
                median(rates) / 1e6,
                Arrays.stream(rates).min().orElseThrow() / 1e6,
                Arrays.stream(rates).max().orElseThrow() / 1e6);
    }

    /** Blocks on a socket with nothing around them. */
    private static final class Raw {
        private final SocketChannel channel;
        private final ByteBuffer block = ByteBuffer.allocateDirect(BlockServer.BLOCK);
        private final ByteBuffer answer = ByteBuffer.allocateDirect(1);

        Raw(SocketChannel channel) {
            this.channel = channel;
        }

        void stream(int blocks) throws IOException {
            for (int i = 0; i < blocks; i++) {
                send();
            }
            for (int i = 0; i < blocks; i++) {
                await();
            }
        }

        void answered(int blocks) throws IOException {
            for (int i = 0; i < blocks; i++) {
                send();
                await();
            }
        }

        private void send() throws IOException {
            block.clear();
            while (block.hasRemaining()) {
                int unused = channel.write(block);
            }
        }

        private void await() throws IOException {
            if (!BlockServer.read(channel, answer)) {
                throw new IOException("the other side ended");
            }
        }
    }

    /** A transaction that writes one object of 1 MiB. */
    private static final class Commit implements TransactionBody<RuntimeException> {
        private final ObjectPool pool;
        private final long object;
        private final MemorySegment value = Arena.ofAuto().allocate(BlockServer.BLOCK, Long.BYTES);
        private long count;

        Commit(ObjectPool pool) {
            this.pool = pool;
            this.object = pool.compute(tx -> tx.raw().allocate(BlockServer.BLOCK, TYPE, true));
        }

        void run(int blocks) {
            for (int i = 0; i < blocks; i++) {
                value.set(ValueLayout.JAVA_LONG, 0, ++count);
                pool.transaction(this);
            }
        }

        @Override
        public void run(Transaction tx) {
            tx.raw().writeBytes(object, 0, value, 0, BlockServer.BLOCK);
        }
    }
}
