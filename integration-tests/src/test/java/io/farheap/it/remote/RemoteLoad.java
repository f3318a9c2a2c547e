package io.farheap.it.remote;

import io.farheap.base.FarheapException;
import io.farheap.remote.RemoteLane;
import io.farheap.remote.RemotePool;
import io.farheap.remote.RemotePoolAttributes;
import io.farheap.remote.RemotePoolOptions;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A program that persists without end, a thread for each lane: the lane's number goes up by one,
 * over and over, in every word of a range of its own. What has been persisted it prints: {@code
 * lane number}.
 */
public final class RemoteLoad {
    static final long SIZE = 1 << 20;
    static final int LANES = 2;
    static final long RANGE_BYTES = 12_000;
    private static final long BEGIN = 4096;

    private RemoteLoad() {}

    public static void main(String[] args) throws InterruptedException {
        RemotePoolOptions options = RemotePoolOptions.fromEnvironment().withLanes(LANES);
        MemorySegment memory = Arena.ofShared().allocate(SIZE, 4096);
        boolean create = args[0].equals("create");
        RemotePool pool =
                create
                        ? RemotePool.create(
                                "there",
                                "load.set",
                                memory,
                                RemotePoolAttributes.of("LOAD"),
                                options)
                        : RemotePool.open("there", "load.set", memory, options);
        PrintStream out = new PrintStream(System.out, true);
        Thread[] threads = new Thread[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            int own = lane;
            threads[lane] = new Thread(() -> run(pool.lane(own), own, memory, out));
            threads[lane].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        try {
            pool.close();
        } catch (FarheapException e) {
            out.println("close: " + e.getMessage());
        }
    }

    /** Goes on with what the target has. */
    private static void run(RemoteLane lane, int own, MemorySegment memory, PrintStream out) {
        MemorySegment range = memory.asSlice(rangeOf(own), RANGE_BYTES);
        try {
            lane.read(range, rangeOf(own), RANGE_BYTES);
            long number = wholeNumberIn(range);
            out.println("begin " + own + " " + number);
            while (true) {
                number++;
                for (long at = 0; at < RANGE_BYTES; at += Long.BYTES) {
                    range.set(ValueLayout.JAVA_LONG, at, number);
                }
                if (number % 3 == 0) {
                    lane.flush(rangeOf(own), RANGE_BYTES);
                    lane.drain();
                } else {
                    lane.persist(rangeOf(own), RANGE_BYTES);
                }
                out.println("done " + own + " " + number);
            }
        } catch (FarheapException e) {
            out.println("failed " + own + " " + e.getMessage());
        }
    }

    static long rangeOf(int lane) {
        return BEGIN + lane * RANGE_BYTES;
    }

    /** The number that all words of a range have. */
    static long wholeNumberIn(MemorySegment range) {
        long number = range.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        for (long at = 0; at < RANGE_BYTES; at += Long.BYTES) {
            long found = range.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            if (found != number) {
                throw new AssertionError(
                        "a range is torn: " + number + " at 0, " + found + " at " + at);
            }
        }
        return number;
    }
}
