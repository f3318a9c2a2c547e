package io.farheap.readers;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The file by which processes that read a replica and the agent that applies to it keep out of each
 * other's way ({@link ReadersLayout}); mapped by all of them, never synced, of no worth after a
 * restart of the machine. What either side does with it, in which order, is in {@link ReaderSlot}
 * and {@link ReadAdmission}.
 *
 * <p>Loads and stores of its words are volatile ones. Thread-safe. Not final for tests, which take
 * each of them for a step.
 */
public class ReadersFile implements AutoCloseable {
    /** An {@link #age} that nobody knows: longer than any other. */
    public static final long UNKNOWN_AGE = Long.MAX_VALUE;

    private static final VarHandle LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Path path;
    private final MemorySegment words;
    private final Arena arena;

    private ReadersFile(Path path, MemorySegment words, Arena arena) {
        this.path = path;
        this.words = words;
        this.arena = arena;
    }

    /** One in memory of this process alone. */
    ReadersFile(PoolUuid pool) {
        path = Path.of("memory");
        arena = Arena.ofShared();
        words = arena.allocate(ReadersLayout.BYTES, ReadersLayout.SLOT_BYTES);
        words.copyFrom(MemorySegment.ofArray(fresh(pool)));
    }

    /**
     * For the agent: the one that is there, so that who has it mapped goes on with it, or, where
     * there is none of this pool, a new one.
     *
     * @param mode permission bits of a new one
     * @throws FarheapException ENVIRONMENT when the system refuses
     */
    public static ReadersFile take(Path path, PoolUuid pool, int mode) {
        ReadersFile there = Files.exists(path) ? mapped(path) : null;
        if (there != null && there.fault(pool).isEmpty()) {
            return there;
        }
        if (there != null) {
            there.close();
        }
        Path unfinished = path.resolveSibling(path.getFileName() + ".farheap-unfinished");
        boolean unused = NativeFile.delete(unfinished);
        try (NativeFile file = NativeFile.create(unfinished)) {
            file.write(MemorySegment.ofArray(fresh(pool)), 0);
            file.setMode(mode);
            file.rename(path).close();
        }
        return mapped(path);
    }

    /**
     * For a reader.
     *
     * @throws FarheapException ENVIRONMENT when there is none, or the system refuses; BAD_DATA for
     *     what is none, or is another pool's
     */
    public static ReadersFile open(Path path, PoolUuid pool) {
        ReadersFile opened = mapped(path);
        String fault = opened.fault(pool);
        if (!fault.isEmpty()) {
            opened.close();
            throw FarheapException.badData(
                    "%s %s: an agent that takes up the replica makes it anew", path, fault);
        }
        return opened;
    }

    /**
     * Refuses a replica that nobody could read yet.
     *
     * @throws FarheapException ENVIRONMENT when there is no such file
     */
    public static void require(Path path) {
        if (!Files.exists(path)) {
            throw missing(path);
        }
    }

    private static FarheapException missing(Path path) {
        return FarheapException.environment(
                "There is no %s: either no agent has taken up this replica yet, or these files"
                        + " are no replica. Name the poolset file that the agent uses, and have"
                        + " the writer attach it.",
                path);
    }

    private static ReadersFile mapped(Path path) {
        Arena arena = Arena.ofShared();
        boolean done = false;
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long size = file.size();
            MemorySegment words =
                    size < ReadersLayout.BYTES
                            ? MemorySegment.NULL
                            : file.map(
                                    FileChannel.MapMode.READ_WRITE, 0, ReadersLayout.BYTES, arena);
            done = true;
            return new ReadersFile(path, words, arena);
        } catch (NoSuchFileException e) {
            throw missing(path);
        } catch (IOException e) {
            throw FarheapException.environment(
                    e,
                    "cannot open %s for reading and writing, as who reads a replica must: %s",
                    path,
                    e);
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    private static byte[] fresh(PoolUuid pool) {
        byte[] bytes = new byte[(int) ReadersLayout.BYTES];
        MemorySegment words = MemorySegment.ofArray(bytes);
        words.set(
                ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
                0,
                ReadersLayout.MAGIC);
        ValueLayout.OfInt word = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        words.set(word, ReadersLayout.VERSION_AT, ReadersLayout.VERSION);
        words.set(word, ReadersLayout.SLOTS_AT, ReadersLayout.SLOTS);
        MemorySegment.copy(
                MemorySegment.ofArray(pool.bytes()),
                0,
                words,
                ReadersLayout.UUID,
                ReadersLayout.UUID_BYTES);
        words.set(word, ReadersLayout.CRC, crc(words));
        return bytes;
    }

    private static int crc(MemorySegment words) {
        CRC32C crc = new CRC32C();
        crc.update(words.asSlice(0, ReadersLayout.AGENT).toArray(ValueLayout.JAVA_BYTE));
        return (int) crc.getValue();
    }

    /** Why it is not that pool's; "" where it is. */
    private String fault(PoolUuid pool) {
        if (words.byteSize() < ReadersLayout.BYTES
                || (long) LONG.get(words, 0L) != ReadersLayout.MAGIC
                || words.get(INT, ReadersLayout.CRC) != crc(words)) {
            return "is damaged, or no file of this kind";
        }
        int version = words.get(INT, ReadersLayout.VERSION_AT);
        if (version != ReadersLayout.VERSION
                || words.get(INT, ReadersLayout.SLOTS_AT) != ReadersLayout.SLOTS) {
            return "has version " + version + ", and this program knows " + ReadersLayout.VERSION;
        }
        byte[] uuid = new byte[ReadersLayout.UUID_BYTES];
        MemorySegment.copy(words, ValueLayout.JAVA_BYTE, ReadersLayout.UUID, uuid, 0, uuid.length);
        return PoolUuid.of(uuid).equals(pool)
                ? ""
                : "belongs to another pool (" + PoolUuid.of(uuid) + ", not " + pool + ")";
    }

    public Path path() {
        return path;
    }

    long get(long at) {
        return (long) LONG.getVolatile(words, at);
    }

    void set(long at, long value) {
        LONG.setVolatile(words, at, value);
    }

    boolean swap(long at, long from, long to) {
        return LONG.compareAndSet(words, at, from, to);
    }

    /** The process whose agent has the replica now, or had it last; 0: there was none. */
    long agent() {
        return get(ReadersLayout.AGENT);
    }

    /**
     * Whether that is still there. Only then is anything of what the other words say true: a
     * restart of the machine leaves them as they were.
     */
    public boolean isAgentAlive() {
        long agent = agent();
        return agent != 0
                && isOfThisBoot()
                && ProcessLife.isAlive(agent, get(ReadersLayout.AGENT_START));
    }

    private boolean isOfThisBoot() {
        return ProcessLife.isThisBoot(get(ReadersLayout.AGENT_BOOT));
    }

    /** Whether the files have become a pool of their own. */
    public boolean isPromoted() {
        return get(ReadersLayout.STATE) == ReadersLayout.PROMOTED;
    }

    /** Whether the replica follows its pool now. */
    public boolean isReadable() {
        return get(ReadersLayout.STATE) == ReadersLayout.READABLE;
    }

    /** The commit boundary that readers find; or one before it. */
    public PoolPosition position() {
        long number = get(ReadersLayout.NUMBER); // the agent stores them the other way round
        return new PoolPosition(number, get(ReadersLayout.SEQUENCE));
    }

    /** How long ago all that was acknowledged then was there, nanoseconds; {@link #UNKNOWN_AGE}. */
    public long age() {
        long fresh = get(ReadersLayout.FRESH); // before the clock: no moment to come, but of a boot
        long age = System.nanoTime() - fresh;
        boolean known = fresh != ReadersLayout.NOT_KNOWN && age >= 0 && isOfThisBoot();
        return known ? age : UNKNOWN_AGE;
    }

    /** Unmaps it; the file stays. Has no effect the second time. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
