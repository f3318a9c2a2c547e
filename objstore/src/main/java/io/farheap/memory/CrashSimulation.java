package io.farheap.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A machine that may lose power: for tests of code that persists, ours and that of others.
 *
 * <p>An image in memory with what the medium would hold of it. A store reaches the medium for sure
 * when its range was flushed after it and the same thread has fenced after that; a flush covers
 * exactly the 8-byte words of its range, no neighbours. Until then each word by itself may or may
 * not be there after {@link #crash}.
 *
 * <pre>{@code
 * CrashSimulation machine = new CrashSimulation(1 << 20);
 * machine.beforeEachStep(() -> {
 *     CrashSimulation restarted = machine.crash(Loss.RANDOM, random);
 *     recover(restarted.memory());
 *     check(restarted.memory());
 * });
 * workload(machine.memory());
 * }</pre>
 *
 * <p>To show that each flush and each fence is needed, {@link #dropFlush} and {@link #dropFence}
 * make the machine ignore one of them: the enumeration above must then fail. Thread-safe; the
 * image's own stores follow {@link PoolMemory}.
 */
public final class CrashSimulation implements Persistence {
    /** What becomes of the words that were stored and are not durable for sure. */
    public enum Loss {
        /** All of them reached the medium. */
        NONE,
        /** None of them did. */
        ALL,
        /**
         * Each by itself, with a probability that is itself random; or, as often, each flushed
         * range as a whole: that finds what one missing fence confuses.
         */
        RANDOM
    }

    private static final Runnable NOTHING = () -> {};

    private final MemorySegment image;
    private final MemorySegment durable;
    private final PoolMemory memory;
    private final Map<Thread, List<Range>> flushed = new ConcurrentHashMap<>();

    private volatile Runnable step = NOTHING;
    private int flushes;
    private int fences;
    private int droppedFlush = -1;
    private int droppedFence = -1;

    /** A flushed range with the words it had then; which flush it was. */
    private record Range(long offset, MemorySegment words, int flush) {
        long end() {
            return offset + words.byteSize();
        }
    }

    /** An image of zeros, durable; its size is a multiple of 8. */
    public CrashSimulation(long size) {
        image = Arena.ofAuto().allocate(size, 64);
        durable = MemorySegment.ofArray(new long[Math.toIntExact(size / Long.BYTES)]);
        memory = new PoolMemory(image, this);
    }

    /** A copy of {@code content}, durable. */
    public CrashSimulation(MemorySegment content) {
        this(content.byteSize());
        image.copyFrom(content);
        durable.copyFrom(content);
    }

    /** The image; its flushes and fences are this machine's. */
    public PoolMemory memory() {
        return memory;
    }

    /** Runs {@code action} before every flush and fence. It may throw, to stop the workload. */
    public void beforeEachStep(Runnable action) {
        step = action;
    }

    /** The machine will ignore flush number {@code index}, from 0. */
    public void dropFlush(int index) {
        droppedFlush = index;
    }

    /** The machine will ignore fence number {@code index}, from 0. */
    public void dropFence(int index) {
        droppedFence = index;
    }

    /** How many flushes there were so far. */
    public synchronized int flushes() {
        return flushes;
    }

    /** How many fences there were so far. */
    public synchronized int fences() {
        return fences;
    }

    @Override
    public void flush(long offset, long length) {
        step.run();
        synchronized (this) {
            int number = flushes++;
            if (number == droppedFlush || length == 0) {
                return;
            }
            long start = offset & -8L;
            MemorySegment words = image.asSlice(start, ((offset + length + 7) & -8L) - start);
            MemorySegment copy = MemorySegment.ofArray(words.toArray(ValueLayout.JAVA_LONG));
            flushed.computeIfAbsent(Thread.currentThread(), thread -> new ArrayList<>())
                    .add(new Range(start, copy, number));
        }
    }

    @Override
    public void fence() {
        step.run();
        synchronized (this) {
            List<Range> ranges = flushed.get(Thread.currentThread());
            if (fences++ == droppedFence || ranges == null) {
                return;
            }
            for (Range range : ranges) {
                put(range, durable);
                supersede(range);
            }
            ranges.clear();
        }
    }

    /** What other threads flushed before and have not fenced must not undo a later flush. */
    private void supersede(Range later) {
        for (List<Range> ranges : flushed.values()) {
            for (Range earlier : ranges) {
                long from = Math.max(earlier.offset(), later.offset());
                long to = Math.min(earlier.end(), later.end());
                if (earlier.flush() < later.flush() && from < to) {
                    MemorySegment.copy(
                            later.words(),
                            from - later.offset(),
                            earlier.words(),
                            from - earlier.offset(),
                            to - from);
                }
            }
        }
    }

    /**
     * The machine as it is after a power loss now and a restart: its image is what was on the
     * medium, all of it durable. This machine goes on undisturbed.
     *
     * @param random decides; unused unless {@code loss} is RANDOM
     */
    public synchronized CrashSimulation crash(Loss loss, Random random) {
        switch (loss) {
            case NONE:
                return new CrashSimulation(image);
            case ALL:
                return new CrashSimulation(durable);
            default:
                break;
        }
        CrashSimulation restarted = new CrashSimulation(durable);
        boolean wholeRanges = random.nextBoolean();
        double kept = random.nextDouble();
        for (List<Range> ranges : flushed.values()) {
            for (Range range : ranges) {
                if (!wholeRanges) {
                    mix(range.words(), restarted.image, range.offset(), kept, random);
                } else if (random.nextBoolean()) {
                    put(range, restarted.image);
                }
            }
        }
        // Stores that nobody flushed can be there too, or overtake those that were.
        if (!wholeRanges || random.nextBoolean()) {
            mixChanged(restarted.image, kept, random);
        }
        restarted.durable.copyFrom(restarted.image);
        return restarted;
    }

    private static void put(Range range, MemorySegment medium) {
        MemorySegment.copy(range.words(), 0, medium, range.offset(), range.words().byteSize());
    }

    private static void mix(
            MemorySegment words, MemorySegment medium, long offset, double kept, Random random) {
        for (long at = 0; at < words.byteSize(); at += Long.BYTES) {
            if (random.nextDouble() < kept) {
                medium.set(
                        ValueLayout.JAVA_LONG, offset + at, words.get(ValueLayout.JAVA_LONG, at));
            }
        }
    }

    private void mixChanged(MemorySegment medium, double kept, Random random) {
        long at = 0;
        while (at < image.byteSize()) {
            long same = image.asSlice(at).mismatch(durable.asSlice(at));
            if (same < 0) {
                return;
            }
            at = (at + same) & -8L;
            if (random.nextDouble() < kept) {
                medium.set(ValueLayout.JAVA_LONG, at, image.get(ValueLayout.JAVA_LONG, at));
            }
            at += Long.BYTES;
        }
    }
}
