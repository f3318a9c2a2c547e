package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The image of one pool as bounds-checked memory, with its persistence: every load, store, flush
 * and fence of the product goes through here.
 *
 * <p>Offsets are image offsets in bytes; integers are little-endian. An offset outside the image
 * throws {@link IndexOutOfBoundsException}: it is a bug of the caller, who validates what comes
 * from the medium first. Stores are plain and not durable until flushed and fenced, except where
 * said. A load or store after the image was unmapped is a {@link FarheapException} WRONG_USE; a
 * flush then is undefined: who flushes keeps the pool open. Thread-safe as far as the words are:
 * two threads must not store to one word without the atomic forms.
 *
 * <p>Not final for the simulation of crashes, which is told of stores by a subclass: a program has
 * this class only, and its calls are as direct as those of a final one.
 */
public class PoolMemory {
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ORDER);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ORDER);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ORDER);

    /** Loads by these are fewer calls deep than by the layouts: compilers give up at some depth. */
    private static final VarHandle INT_WORD = INT.varHandle();

    private static final VarHandle LONG_WORD = LONG.varHandle();
    private static final VarHandle ATOMIC_LONG = ValueLayout.JAVA_LONG.withOrder(ORDER).varHandle();

    /** A fill stores this many bytes word by word, and copies at most so many at once. */
    private static final long FILLED_BY_WORDS = 256;

    private static final long MOST_COPIED = 16 << 10;

    /**
     * Replaced by a longer one when the pool grows. Plain: whoever has an offset in the new range
     * learned it from the heap, after the heap learned of the range.
     */
    private MemorySegment image;

    private final String name;
    private final Persistence persistence;

    /** The files it is made of, and those of its local replicas; empty where it is no file's. */
    private final List<MappedImage> files;

    /** Who is told that one of the files was cut off. */
    private volatile Consumer<FarheapException> lossListener = loss -> {};

    /** Who wants to know what was stored; null: nobody does at the moment. */
    private volatile ChangedRegions changes;

    private final EventCounter flushes = new EventCounter();
    private final EventCounter fences = new EventCounter();

    /**
     * @param image the whole image; 8-byte aligned, native memory
     * @param persistence how its stores become durable
     */
    public PoolMemory(MemorySegment image, Persistence persistence) {
        this("", image, persistence, List.of());
    }

    /** As above, with the name that errors give it. */
    public PoolMemory(String name, MemorySegment image, Persistence persistence) {
        this(name, image, persistence, List.of());
    }

    /**
     * Files as memory.
     *
     * @param name what errors call it
     * @param files first those that are shown, then those that a flush copies to
     * @param size bytes from its start on that are shown
     * @param persistence how its stores become durable
     */
    public PoolMemory(String name, List<MappedImage> files, long size, Persistence persistence) {
        this(name, files.get(0).segment().asSlice(0, size), persistence, files);
    }

    private PoolMemory(
            String name, MemorySegment image, Persistence persistence, List<MappedImage> files) {
        this.name = name;
        this.image = image;
        this.persistence = persistence;
        this.files = List.copyOf(files);
    }

    /**
     * The image has become longer: the same memory and more behind it. The new range may be named
     * to other threads only after this, by a volatile store or under a lock.
     *
     * @param longer starts with what {@link #image} was
     */
    public void grow(MemorySegment longer) {
        if (longer.address() != image.address() || longer.byteSize() < image.byteSize()) {
            throw new IllegalArgumentException(
                    "an image of " + image.byteSize() + " bytes does not grow to " + longer);
        }
        image = longer;
    }

    /** What errors and events call the pool: its path; empty where it has none. */
    public String name() {
        return name;
    }

    /** The image's size in bytes. */
    public long size() {
        return image.byteSize();
    }

    /** Whether every flush goes to local replicas, too. */
    public boolean isMirrored() {
        return persistence.isMirrored();
    }

    /** The whole image, writable. Stores through it must be flushed by {@link #flush}. */
    public MemorySegment image() {
        return image;
    }

    public byte getByte(long offset) {
        try {
            return image.get(ValueLayout.JAVA_BYTE, offset);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    public short getShort(long offset) {
        try {
            return image.get(SHORT, offset);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    public int getInt(long offset) {
        try {
            return (int) INT_WORD.get(image, offset);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    public long getLong(long offset) {
        try {
            return (long) LONG_WORD.get(image, offset);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    public void putByte(long offset, byte value) {
        try {
            image.set(ValueLayout.JAVA_BYTE, offset, value);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    public void putShort(long offset, short value) {
        try {
            image.set(SHORT, offset, value);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    public void putInt(long offset, int value) {
        try {
            image.set(INT, offset, value);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    public void putLong(long offset, long value) {
        try {
            image.set(LONG, offset, value);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Loads an 8-byte aligned word with acquire semantics. */
    public long getLongAcquire(long offset) {
        try {
            return (long) ATOMIC_LONG.getAcquire(image, offset);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Stores an 8-byte aligned word with release semantics. */
    public void putLongRelease(long offset, long value) {
        try {
            ATOMIC_LONG.setRelease(image, offset, value);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Atomically ors {@code mask} into the 8-byte aligned word at {@code offset}. */
    public void orLong(long offset, long mask) {
        try {
            long unused = (long) ATOMIC_LONG.getAndBitwiseOr(image, offset, mask);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Atomically ands {@code mask} into the 8-byte aligned word at {@code offset}. */
    public void andLong(long offset, long mask) {
        try {
            long unused = (long) ATOMIC_LONG.getAndBitwiseAnd(image, offset, mask);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Atomically adds {@code amount} to the 8-byte aligned word at {@code offset}. */
    public void addLong(long offset, long amount) {
        try {
            long unused = (long) ATOMIC_LONG.getAndAdd(image, offset, amount);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Copies {@code length} bytes of {@code source} into the image. */
    public void copyIn(long offset, MemorySegment source, long sourceOffset, long length) {
        try {
            MemorySegment.copy(source, sourceOffset, image, offset, length);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /**
     * Copies many bytes of {@code source} into the image and makes them durable, where that costs
     * less than to do one after the other.
     *
     * @param source does not overlap the range
     * @return false: nothing was done
     */
    public boolean persistIn(long offset, MemorySegment source, long sourceOffset, long length) {
        if (!persistence.copyIn(offset, source, sourceOffset, length)) {
            return false;
        }
        mark(offset, length);
        fence();
        return true;
    }

    /**
     * Reserves the space of files that were made to get it by and by: no store meets a want of it
     * from here on.
     *
     * @throws FarheapException ENVIRONMENT when there is not enough
     */
    public void reserveSpace() {
        files.forEach(MappedImage::reserveSpace);
    }

    /**
     * As {@link #copyIn}, of many bytes that are not looked at soon: past the mapping where the
     * kernel has the pages, so that none is mapped for it.
     */
    public void copyInOnce(long offset, MemorySegment source, long sourceOffset, long length) {
        if (files.size() == 1
                && files.get(0).hasFiles()
                && files.get(0).fencesBySystemCall()
                && source.isNative()) {
            Objects.checkFromIndexSize(offset, length, size());
            files.get(0).write(offset, source.asSlice(sourceOffset, length));
        } else {
            copyIn(offset, source, sourceOffset, length);
        }
    }

    /**
     * Fills {@code target} from {@code offset} on with bytes that are not looked at soon: past the
     * mapping where there is one, so that no page is mapped for it.
     *
     * @param target native
     * @throws FarheapException BAD_DATA naming a file that was cut off
     */
    public void copyOutOnce(long offset, MemorySegment target) {
        if (files.isEmpty() || !files.get(0).hasFiles()) {
            copyOut(offset, target, 0, target.byteSize());
        } else {
            Objects.checkFromIndexSize(offset, target.byteSize(), size());
            files.get(0).read(offset, target);
        }
    }

    /** Copies {@code length} bytes of the image to {@code target}. */
    public void copyOut(long offset, MemorySegment target, long targetOffset, long length) {
        try {
            MemorySegment.copy(image, offset, target, targetOffset, length);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Copies inside the image; the ranges may overlap. */
    public void copy(long from, long to, long length) {
        try {
            MemorySegment.copy(image, from, image, to, length);
        } catch (IllegalStateException e) {
            throw refused(e);
        }
    }

    /** Stores {@code value} into every byte of a range. */
    public void fill(long offset, long length, byte value) {
        Objects.checkFromIndexSize(offset, length, size());
        long word = (value & 0xFFL) * 0x0101010101010101L;
        long stored = Math.min(length, FILLED_BY_WORDS);
        long at = 0;
        for (; at <= stored - Long.BYTES; at += Long.BYTES) {
            putLong(offset + at, word);
        }
        for (; at < stored; at++) {
            putByte(offset + at, value);
        }
        // The rest by copies of what is there: a slice to be filled would be garbage.
        while (stored < length) {
            long part = Math.min(Math.min(stored, MOST_COPIED), length - stored);
            copy(offset, offset + stored, part);
            stored += part;
        }
    }

    /** Starts write-back of a range; durable after the next {@link #fence} of this thread. */
    public void flush(long offset, long length) {
        flushes.increment();
        mark(offset, length);
        persistence.flush(offset, length);
    }

    /** What is flushed has been stored: whoever copied the range before is to copy it again. */
    private void mark(long offset, long length) {
        ChangedRegions noted = changes;
        if (noted != null) {
            noted.mark(offset, length);
        }
    }

    /**
     * Notes from now on what is flushed: all that will be durable is. To be called while nothing is
     * stored.
     *
     * @param noted null: no more
     */
    public void noteChanges(ChangedRegions noted) {
        changes = noted;
    }

    /** Waits until everything flushed by this thread is durable. */
    public void fence() {
        fences.increment();
        persistence.fence();
    }

    /**
     * Has everything flushed by this thread durable before what is flushed after this: a fence, but
     * for a medium that keeps an order at less cost.
     */
    public void order() {
        fences.increment();
        persistence.order();
    }

    /** Waits until everything that any thread ordered is durable: before somebody is told so. */
    public void settle() {
        persistence.settle();
    }

    /** Flush and fence. */
    public void persist(long offset, long length) {
        flush(offset, length);
        fence();
    }

    /** Stores one word and makes it durable. */
    public void persistLong(long offset, long value) {
        putLong(offset, value);
        persist(offset, Long.BYTES);
    }

    /** The JDK refuses memory that was unmapped meanwhile: that is the pool's end, told in ours. */
    private RuntimeException refused(IllegalStateException reason) {
        return image.scope().isAlive() ? reason : closed();
    }

    /** Names who is told that one of the files was cut off. */
    public void onLoss(Consumer<FarheapException> listener) {
        lossListener = listener;
    }

    /**
     * What the JVM says of a page of the files that could not be reached, in a sentence of ours. It
     * says so some instructions after the access: whoever lets a program in catches it.
     *
     * @throws InternalError {@code error}, where it means something else
     */
    public FarheapException lost(InternalError error) {
        FarheapException shorter = cutOff(error);
        if (shorter != null) {
            return shorter;
        }
        if (files.isEmpty() || !isOfMemory(error)) {
            throw error;
        }
        return files.get(0).faults().unreadable(error);
    }

    /**
     * The same where code of the program may have met it: in a file of its own, unless one of these
     * is too short.
     *
     * @return null where none is, or {@code error} means something else
     */
    public FarheapException cutOff(Throwable error) {
        return isOfMemory(error) ? told(error) : null;
    }

    /** What the files themselves say. */
    private FarheapException told(Throwable cause) {
        FarheapException shorter = null;
        for (int i = 0; i < files.size() && shorter == null; i++) {
            shorter = files.get(i).faults().cutOff(files.get(i).size(), cause);
        }
        if (shorter != null) {
            lossListener.accept(shorter);
        }
        return shorter;
    }

    /**
     * Refuses files that were cut off, those of local replicas, too, as if somebody had met it.
     *
     * @throws FarheapException BAD_DATA naming the file
     */
    public void requireAllWhole() {
        FarheapException shorter = told(null);
        if (shorter != null) {
            throw shorter;
        }
    }

    /** Whether an error of the JVM says that some page of some file could not be reached. */
    private static boolean isOfMemory(Throwable error) {
        return error instanceof InternalError
                && error.getMessage() != null
                && error.getMessage().contains("unsafe memory access");
    }

    /**
     * Refuses files that were cut off, before what was read of them is passed on. Those of local
     * replicas are not read.
     *
     * @throws FarheapException BAD_DATA naming the file
     */
    public void requireWhole() {
        if (!files.isEmpty()) {
            files.get(0).requireWhole();
        }
    }

    /**
     * Refuses a file that was cut off, of those that have something of a range, before what was
     * read there is passed on: behind an end in the midst of a page the rest of the page reads as
     * zeros. Does nothing on persistent memory, where the look would cost more than the commit it
     * is made for. Allocates nothing.
     *
     * @throws FarheapException BAD_DATA naming the file
     */
    public void requireWhole(long from, long to) {
        if (files.isEmpty() || !files.get(0).fencesBySystemCall()) {
            return;
        }
        try {
            files.get(0).requireWhole(from, to);
        } catch (FarheapException shorter) {
            lossListener.accept(shorter);
            throw shorter;
        }
    }

    /** What to throw once the image is gone, or on its way. */
    public FarheapException closed() {
        return FarheapException.wrongUse(
                "%s is closed (or being closed); open it again.",
                name.isEmpty() ? "The pool" : "Pool " + name);
    }

    /** How many flushes were asked of this memory since it was made; for figures. */
    public long flushCount() {
        return flushes.sum();
    }

    /** How many fences and orders were asked of this memory since it was made; for figures. */
    public long fenceCount() {
        return fences.sum();
    }
}
