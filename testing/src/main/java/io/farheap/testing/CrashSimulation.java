package io.farheap.testing;

import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.UnpersistedWords.Flushed;
import java.lang.StackWalker.StackFrame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A machine that may lose power: for tests of code that persists, ours and that of others.
 *
 * <p>An image in memory with what the medium would hold of it. A store reaches the medium for sure
 * when its range was flushed after it and the same thread has fenced after that; a flush covers
 * exactly the 8-byte words of its range, no neighbours. Until then each word by itself may hold
 * after {@link #crash} what is durable, or any value it was given since.
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
 * <p>{@link #unsettled} is for those who choose each state themselves, and {@link #afterEachStore}
 * for crashes between flushes; {@link #collectVain} finds flushes and fences without effect. To
 * show that each flush and each fence is needed, {@link #dropFlush} and {@link #dropFence} make the
 * machine ignore one of them: the enumeration above must then fail.
 *
 * <p>Thread-safe; the image's own stores follow {@link PoolMemory}. Stores that do not go through
 * {@link #memory}, but straight into its segment, are noticed by the next flush of their range or
 * the next crash.
 */
@SuppressWarnings("exports") // for who tests Farheap itself, whose inner types these are
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

    /**
     * A word that is not certain.
     *
     * @param offset image offset, a multiple of 8
     * @param values what it may hold after a power loss: the durable value, then those it was given
     *     since, in order; the last is what the image holds
     */
    public record Unsettled(long offset, long[] values) {
        /** What it holds unless the power is lost. */
        public long latest() {
            return values[values.length - 1];
        }
    }

    private static final Runnable NOTHING = () -> {};
    private static final int PAGE_SHIFT = 12;
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[1 << PAGE_SHIFT]);
    private static final int WORD_SHIFT = 3;
    private static final int FRAMES = 4;

    private final MemorySegment image;
    private final MemorySegment durable;
    private final PoolMemory memory;
    private final UnpersistedWords words;

    /** What each thread flushed and has not fenced yet, in the order of their first flushes. */
    private final Map<Thread, List<Flushed>> flushed = new LinkedHashMap<>();

    /** Threads that flushed something since their last fence. */
    private final Map<Thread, Boolean> owesFence = new LinkedHashMap<>();

    /** Words stored since their last flush, pages stored to since the last {@link #restore}. */
    private final BitSet storedWords = new BitSet();

    private final BitSet touchedPages = new BitSet();
    private volatile Runnable step = NOTHING;
    private volatile Runnable store = NOTHING;
    private List<String> vain;
    private boolean storesAround = true;
    private int flushes;
    private int fences;
    private int droppedFlush = -1;
    private int droppedFence = -1;

    /** An image of zeros, durable; its size is a multiple of 8. */
    public CrashSimulation(long size) {
        image = Arena.ofAuto().allocate(size, 64);
        durable = MemorySegment.ofArray(new long[Math.toIntExact(size / Long.BYTES)]);
        memory = new ObservedMemory(image, this, this::stored);
        words = new UnpersistedWords(image, durable, word -> touch(word, word + Long.BYTES));
    }

    /** A copy of {@code content}, durable. */
    public CrashSimulation(MemorySegment content) {
        this(content.byteSize());
        image.copyFrom(content);
        durable.copyFrom(content);
    }

    /** The image; its stores, flushes and fences are this machine's. */
    public PoolMemory memory() {
        return memory;
    }

    /** Runs {@code action} before every flush and fence. It may throw, to stop the workload. */
    public void beforeEachStep(Runnable action) {
        step = action;
    }

    /** Runs {@code action} after every store through {@link #memory}. It may throw. */
    public void afterEachStore(Runnable action) {
        store = action;
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

    /**
     * From now on adds to {@code found} where a flush covers no word stored since its last flush,
     * and where a fence follows no flush of its thread; null ends that.
     */
    public synchronized void collectVain(List<String> found) {
        vain = found;
    }

    /**
     * Whether flushes and power losses look for stores around {@link #memory}: with images of
     * megabytes that is most of the work. {@link #lookForStores} tells whether there were any.
     */
    public synchronized void expectStoresAround(boolean expected) {
        storesAround = expected;
    }

    /**
     * Notices what was stored around {@link #memory}.
     *
     * @return whether there was any
     */
    public synchronized boolean lookForStores() {
        int known = words.count();
        words.note(0, image.byteSize());
        return words.count() > known;
    }

    private void stored(long offset, long length) {
        synchronized (this) {
            if (length > 0) {
                long from = offset & -8L;
                long to = (offset + length + 7) & -8L;
                storedWords.set((int) (from >> WORD_SHIFT), (int) (to >> WORD_SHIFT));
                touch(from, to);
                words.note(from, to);
            }
        }
        store.run();
    }

    private void touch(long from, long to) {
        touchedPages.set((int) (from >> PAGE_SHIFT), (int) ((to - 1) >> PAGE_SHIFT) + 1);
    }

    @Override
    public void flush(long offset, long length) {
        step.run();
        synchronized (this) {
            int number = flushes++;
            if (number == droppedFlush || length == 0) {
                return;
            }
            owesFence.put(Thread.currentThread(), true);
            long from = offset & -8L;
            long to = (offset + length + 7) & -8L;
            List<Flushed> ours =
                    flushed.computeIfAbsent(Thread.currentThread(), thread -> new ArrayList<>());
            int before = ours.size();
            if (storesAround) {
                words.note(from, to);
                if (to - from < image.byteSize()) { // else it does not tell what is stored to
                    touch(from, to);
                }
            }
            words.flush(from, to, number, ours);
            if (vain != null && ours.size() == before && !isAnyStored(from, to)) {
                vain.add("flush of " + length + " bytes at " + offset + " in " + caller());
            }
            storedWords.clear((int) (from >> WORD_SHIFT), (int) (to >> WORD_SHIFT));
        }
    }

    private boolean isAnyStored(long from, long to) {
        int first = storedWords.nextSetBit((int) (from >> WORD_SHIFT));
        return first >= 0 && first < to >> WORD_SHIFT;
    }

    @Override
    public void fence() {
        step.run();
        synchronized (this) {
            if (fences++ == droppedFence) {
                return;
            }
            if (owesFence.remove(Thread.currentThread()) == null && vain != null) {
                vain.add("fence in " + caller());
            }
            List<Flushed> ours = flushed.remove(Thread.currentThread());
            if (ours != null) {
                ours.forEach(words::settle);
            }
        }
    }

    /**
     * What is in the range now is durable, without any flush or fence of the machine's own: as what
     * a network card has pushed out.
     */
    public synchronized void settle(long offset, long length) {
        long from = offset & -8L;
        long to = (offset + length + 7) & -8L;
        words.note(from, to);
        List<Flushed> all = new ArrayList<>();
        words.flush(from, to, flushes, all);
        all.forEach(words::settle);
    }

    /** Who flushed or fenced, and the callers of that. */
    private static String caller() {
        String ours = CrashSimulation.class.getPackageName() + ".";
        return StackWalker.getInstance()
                .walk(
                        frames ->
                                frames.filter(frame -> !frame.getClassName().startsWith(ours))
                                        .limit(FRAMES)
                                        .map(CrashSimulation::name)
                                        .collect(Collectors.joining(" < ")));
    }

    private static String name(StackFrame frame) {
        String type = frame.getClassName();
        return type.substring(type.lastIndexOf('.') + 1)
                + "."
                + frame.getMethodName()
                + ":"
                + frame.getLineNumber();
    }

    /** The words that are not certain now, in order of offsets. */
    public synchronized List<Unsettled> unsettled() {
        if (storesAround) {
            words.note(0, image.byteSize());
        }
        return words.list();
    }

    /** As {@link #unsettled}, but does not look for stores made around {@link #memory}. */
    public synchronized List<Unsettled> knownUnsettled() {
        return words.list();
    }

    /** What is durable for sure; a view that changes with each fence. */
    public MemorySegment durable() {
        return durable.asReadOnly();
    }

    /**
     * Becomes the machine that {@link #CrashSimulation(MemorySegment)} makes of {@code content},
     * for less: only pages stored to since the last time are copied. Its counts go on.
     *
     * @param content must be what it was the last time, or else {@code whole}
     */
    public synchronized void restore(MemorySegment content, boolean whole) {
        forget();
        if (whole) {
            image.copyFrom(content);
            durable.copyFrom(content);
        } else {
            touchedPages.stream().forEach(page -> copyPage(content, page));
        }
        touchedPages.clear();
    }

    /**
     * Becomes what the other one's image is, all of it durable, for less: only pages are copied
     * that were stored to, here or there, since both were restored to the same content, or made of
     * zeros. Nobody may use the other one meanwhile.
     */
    public synchronized void become(CrashSimulation other) {
        become(other, other.image);
    }

    /** Becomes what {@link #crash} of the other one returns, for less, as {@link #become} does. */
    public synchronized void becomeCrashed(CrashSimulation other, Loss loss, Random random) {
        List<Unsettled> unused = other.unsettled(); // notices what was stored around its memory
        become(other, loss == Loss.NONE ? other.image : other.durable);
        if (loss == Loss.RANDOM) {
            other.choose(this::restoreWord, random);
        }
    }

    private void become(CrashSimulation other, MemorySegment content) {
        forget();
        touchedPages.or(other.touchedPages);
        touchedPages.stream().forEach(page -> copyPage(content, page));
        touchedPages.and(other.touchedPages);
    }

    /** Pages stored to since the last {@link #restore}, or since the image was of zeros. */
    IntStream touchedPages() {
        return touchedPages.stream();
    }

    /** Where a page begins and ends. */
    long pageAt(int page) {
        return Math.min((long) page << PAGE_SHIFT, image.byteSize());
    }

    /** Becomes all zero, durably. */
    public synchronized void clear() {
        forget();
        for (int page = 0; (long) page << PAGE_SHIFT < image.byteSize(); page++) {
            long at = (long) page << PAGE_SHIFT;
            long end = at + bytesOf(page);
            if (MemorySegment.mismatch(image, at, end, ZEROS, 0, end - at) >= 0
                    || MemorySegment.mismatch(durable, at, end, ZEROS, 0, end - at) >= 0) {
                image.asSlice(at, end - at).fill((byte) 0);
                durable.asSlice(at, end - at).fill((byte) 0);
                touchedPages.set(page);
            }
        }
    }

    private void forget() {
        words.clear();
        flushed.clear();
        owesFence.clear();
        storedWords.clear();
        step = NOTHING;
        store = NOTHING;
    }

    private long bytesOf(int page) {
        return Math.min(1 << PAGE_SHIFT, image.byteSize() - ((long) page << PAGE_SHIFT));
    }

    private void copyPage(MemorySegment content, int page) {
        long at = (long) page << PAGE_SHIFT;
        MemorySegment.copy(content, at, image, at, bytesOf(page));
        MemorySegment.copy(content, at, durable, at, bytesOf(page));
    }

    /** Gives a word a durable value: part of a state to recover from. */
    public synchronized void restoreWord(long offset, long value) {
        image.set(ValueLayout.JAVA_LONG, offset, value);
        durable.set(ValueLayout.JAVA_LONG, offset, value);
        touch(offset, offset + Long.BYTES);
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
        choose(restarted::restoreWord, random);
        return restarted;
    }

    /**
     * Loses power itself: becomes what {@link #crash} returns, for less. Its counts go on, and so
     * do its actions.
     */
    public synchronized void losePower(Loss loss, Random random) {
        List<Unsettled> uncertain = unsettled();
        Map<Long, Long> kept = new HashMap<>();
        if (loss == Loss.NONE) {
            uncertain.forEach(word -> kept.put(word.offset(), word.latest()));
        } else if (loss == Loss.RANDOM) {
            choose(kept::put, random);
        }
        words.clear();
        flushed.clear();
        owesFence.clear();
        storedWords.clear();
        for (Unsettled word : uncertain) {
            restoreWord(word.offset(), kept.getOrDefault(word.offset(), word.values()[0]));
        }
    }

    private void choose(BiConsumer<Long, Long> keep, Random random) {
        if (random.nextBoolean()) {
            keepWholeRanges(keep, random);
        } else {
            keepWords(keep, random.nextDouble(), random);
        }
    }

    private void keepWords(BiConsumer<Long, Long> keep, double kept, Random random) {
        for (Unsettled word : unsettled()) {
            long[] values = word.values();
            if (random.nextDouble() < kept) {
                keep.accept(word.offset(), word.latest());
            } else if (values.length > 2 && random.nextBoolean()) {
                keep.accept(word.offset(), values[random.nextInt(values.length - 1)]);
            }
        }
    }

    private void keepWholeRanges(BiConsumer<Long, Long> keep, Random random) {
        for (List<Flushed> ours : flushed.values()) {
            int flush = -1;
            boolean kept = false;
            for (Flushed word : ours) {
                if (word.flush() != flush) {
                    flush = word.flush();
                    kept = random.nextBoolean();
                }
                if (kept && word.isUnsettled()) {
                    keep.accept(word.word().offset, word.value());
                }
            }
        }
        // Stores that nobody flushed can be there too, or overtake those that were.
        if (random.nextBoolean()) {
            keepWords(keep, random.nextDouble(), random);
        }
    }
}
