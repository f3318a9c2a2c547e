package io.farheap.memory;

import io.farheap.memory.DiskJournalFile.Geometry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;

/**
 * A machine with an ordinary disk: a pool in private memory, its file and its journal in a page
 * cache, and what the disk has of them. Belongs to one thread.
 */
public final class DiskMachine implements AutoCloseable {
    private static final Geometry GEOMETRY = new Geometry(32 * (64 << 10), 64 << 10, 4096);

    private final Arena arena = Arena.ofShared();
    private final Random random;
    private final SimulatedDisk pool;
    private final SimulatedDisk journal;
    private long marked;
    private JournaledFiles files;
    private DiskJournal running;
    private Runnable step = () -> {};
    private boolean inCheckpoint;

    /** Whoever writes to a disk may be the leader, and a checkpoint would wait for that one. */
    private boolean inDisk;

    private DiskMachine(SimulatedDisk pool, SimulatedDisk journal, long marked, Random random) {
        this.pool = pool;
        this.journal = journal;
        this.marked = marked;
        this.random = random;
    }

    /** With a pool that was closed. */
    public static DiskMachine with(MemorySegment content, Random random) {
        SimulatedDisk pool = new SimulatedDisk(content.byteSize());
        pool.fill(content);
        SimulatedDisk journal = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile unused =
                DiskJournalFile.format(
                        "journal", journal, GEOMETRY, new byte[32], 7, 8, content.byteSize());
        return new DiskMachine(pool, journal, 0, random);
    }

    /** Opens the files; recovers them where they were not closed. Steps are told. */
    public PoolMemory open() {
        pool.beforeEachStep(this::diskStep);
        journal.beforeEachStep(this::diskStep);
        DiskJournalFile file =
                DiskJournalFile.open("journal", journal, GEOMETRY.batchBytes()).orElseThrow();
        files = new JournaledFiles(List.of(pool), List.of(file), mark(), random::nextLong);
        files.open();
        MemorySegment image = arena.allocate(pool.cache().byteSize(), 4096);
        image.copyFrom(pool.cache());
        running = files.start(image);
        return new PoolMemory(image, new Stepped(running));
    }

    private JournaledFiles.Mark mark() {
        return new JournaledFiles.Mark() {
            @Override
            public long journalId() {
                return marked;
            }

            @Override
            public void set(long journalId) {
                step.run();
                marked = journalId;
            }

            @Override
            public void clear() {
                step.run();
                marked = 0;
            }
        };
    }

    /** Runs {@code action} before each flush, order, settle, write and sync. */
    public void beforeEachStep(Runnable action) {
        step = action;
    }

    private void diskStep() {
        boolean around = inDisk;
        inDisk = true;
        try {
            step.run();
        } finally {
            inDisk = around;
        }
    }

    /** Makes a checkpoint in the midst of whatever is under way, unless that is of the disk. */
    public void checkpoint() {
        if (!inCheckpoint && !inDisk) {
            inCheckpoint = true;
            try {
                files.checkpointer().checkpoint();
            } finally {
                inCheckpoint = false;
            }
        }
    }

    /** How often the journal was synced. */
    public long syncs() {
        return running.syncs();
    }

    /** The kernel writes some pages back by itself. */
    public void writeSomeBack() {
        pool.writeSomeBack(random);
        journal.writeSomeBack(random);
    }

    /** What comes up after a power loss now, or after a kill. This one goes on undisturbed. */
    public DiskMachine crash(boolean byKill) {
        return byKill
                ? new DiskMachine(pool.afterKill(), journal.afterKill(), marked, random)
                : new DiskMachine(
                        pool.afterPowerLoss(random),
                        journal.afterPowerLoss(random),
                        marked,
                        random);
    }

    @Override
    public void close() {
        arena.close();
    }

    private final class Stepped implements Persistence {
        private final DiskJournal persistence;

        Stepped(DiskJournal persistence) {
            this.persistence = persistence;
        }

        @Override
        public void flush(long offset, long length) {
            step.run();
            persistence.flush(offset, length);
        }

        @Override
        public void order() {
            step.run();
            if (persistence.isCheckpointDue()) {
                checkpoint();
            }
            persistence.order();
        }

        @Override
        public void settle() {
            step.run();
            persistence.settle();
        }

        @Override
        public void fence() {
            order();
            settle();
        }
    }
}
