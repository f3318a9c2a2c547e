package io.farheap.memory;

import io.farheap.layout.Descriptor;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * The pool of a machine in a simulated history, on an ordinary disk with a disk journal. The files
 * are those of one machine that may lose power: what is written stays in the page cache until it is
 * synced. Whoever opens it is one process; it dies without a word.
 */
public final class JournaledPool {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** So small that checkpoints are made, and it goes round, in most histories. */
    private static final JournalGeometry GEOMETRY =
            new JournalGeometry(16 * (16 << 10), 16 << 10, 512);

    private static final long JOURNAL_ID = 4711;
    private static final long LONGEST_SYNC_NANOS = 300_000;

    private final CrashSimulation pool;
    private final CrashSimulation journal = new CrashSimulation(GEOMETRY.fileBytes());
    private final MemorySegment beginning;

    /** Private to the process that has it open: used again by the next one. */
    private final MemorySegment image;

    /** In the header's first sector, which no crash tears. */
    private long marked;

    private JournaledFiles files;
    private DiskJournal running;

    /**
     * @param pool its file
     */
    public JournaledPool(CrashSimulation pool) {
        this.pool = pool;
        this.image = Arena.ofAuto().allocate(pool.memory().size(), 4096);
        journal.expectStoresAround(false);
        DiskJournalFile unused =
                DiskJournalFile.format(
                        "the journal",
                        new File(journal, null),
                        GEOMETRY,
                        new byte[32],
                        JOURNAL_ID,
                        1,
                        pool.memory().size());
        beginning = Arena.ofAuto().allocate(GEOMETRY.fileBytes(), 64);
        beginning.copyFrom(journal.memory().image());
    }

    /**
     * Before a history: closed, and the journal as it was made. The pool's file is the caller's.
     */
    public void restore() {
        journal.restore(beginning, false);
        marked = 0;
        running = null;
        files = null;
    }

    /** Becomes what the other one's machine has now, opened or not. */
    public void become(JournaledPool other) {
        pool.become(other.pool);
        journal.become(other.journal);
        marked = other.marked;
    }

    /** Where one waits for a sync. */
    public CrashSimulation journal() {
        return journal;
    }

    /** Whether the newest commits may be in the journal alone. */
    public boolean isMarked() {
        return marked != 0;
    }

    /**
     * Opens it, in the process that runs now.
     *
     * @param random for nonces, and for how long the disk takes
     */
    public PoolMemory open(Random random) {
        DiskJournalFile file = journalFile(random);
        files =
                new JournaledFiles(
                        List.of(new File(pool, random)),
                        List.of(file),
                        new HeaderMark(),
                        random::nextLong,
                        image.byteSize());
        files.open();
        image.copyFrom(pool.memory().image());
        running = files.start(image);
        files.startCheckpointing();
        return new PoolMemory(image, running);
    }

    private DiskJournalFile journalFile(Random random) {
        return DiskJournalFile.open("the journal", new File(journal, random), GEOMETRY.batchBytes())
                .orElseThrow();
    }

    /** Closes it, in the process that opened it. */
    public void close() {
        files.close(
                pages -> {
                    for (long page = 0; page < image.byteSize() >> DirtyPages.PAGE_SHIFT; page++) {
                        pages.accept(page);
                    }
                },
                () -> {});
        running = null;
    }

    /** The process that had it open is no more. */
    public void died() {
        running = null;
    }

    /** The machine loses power; nobody has it open any more. */
    public void losePower(CrashSimulation.Loss loss, Random random) {
        pool.losePower(loss, random);
        journal.losePower(loss, random);
    }

    /** The pool's number: as who has it open sees it, else as a recovery would find it. */
    public long runId() {
        if (running != null) {
            return image.get(LONG, Descriptor.RUN_ID);
        }
        long[] found = {pool.memory().getLong(Descriptor.RUN_ID)};
        if (marked != 0) {
            long unused =
                    journalFile(null)
                            .replay(
                                    (source, at, length, offset) -> {
                                        long word = Descriptor.RUN_ID - offset;
                                        if (word >= 0 && word < length) {
                                            found[0] = source.get(LONG, at + word);
                                        }
                                    });
        }
        return found[0];
    }

    /** What is in it: of who has it open, or of the file where it is closed. */
    public PoolMemory content() {
        return running == null ? pool.memory() : new PoolMemory(image, new NoPersistence());
    }

    private final class HeaderMark implements JournaledFiles.Mark {
        @Override
        public long journalId() {
            return marked;
        }

        @Override
        public void set(long journalId) {
            marked = journalId;
        }

        @Override
        public void clear() {
            marked = 0;
        }
    }

    /** Syncs take their time. */
    private record File(CrashSimulation disk, Random random) implements DiskFile {
        @Override
        public long read(MemorySegment buffer, long at, long length, long offset) {
            long there = Math.clamp(disk.memory().size() - offset, 0, length);
            MemorySegment.copy(disk.memory().image(), offset, buffer, at, there);
            return there;
        }

        @Override
        public void write(MemorySegment buffer, long at, long length, long offset) {
            disk.memory().copyIn(offset, buffer, at, length);
        }

        @Override
        public void sync() {
            if (random != null) {
                LockSupport.parkNanos(this, 1 + random.nextLong(LONGEST_SYNC_NANOS));
            }
            disk.flush(0, disk.memory().size());
            disk.fence();
        }
    }
}
