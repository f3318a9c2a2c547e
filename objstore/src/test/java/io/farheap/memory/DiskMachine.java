package io.farheap.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A machine with an ordinary disk for each local replica: a pool in private memory, the replicas'
 * files and journals in a page cache, and what the disks have of them. Belongs to one thread.
 */
public final class DiskMachine implements AutoCloseable {
    private static final JournalGeometry GEOMETRY =
            new JournalGeometry(32 * (64 << 10), 64 << 10, 4096);
    private static final long JOURNAL_ID = 7;

    private final Arena arena = Arena.ofShared();
    private final Random random;
    private final List<SimulatedDisk> pools;
    private final List<SimulatedDisk> journals;
    private long marked;
    private JournaledFiles files;
    private DiskJournal running;
    private Runnable step = () -> {};
    private boolean inCheckpoint;

    /** Whoever writes to a disk may be the leader, and a checkpoint would wait for that one. */
    private boolean inDisk;

    private DiskMachine(
            List<SimulatedDisk> pools, List<SimulatedDisk> journals, long marked, Random random) {
        this.pools = pools;
        this.journals = journals;
        this.marked = marked;
        this.random = random;
    }

    /** With a pool that was closed. */
    public static DiskMachine with(MemorySegment content, Random random) {
        return with(content, 1, random);
    }

    /** With a pool of so many local replicas that was closed. */
    public static DiskMachine with(MemorySegment content, int replicas, Random random) {
        List<SimulatedDisk> pools = new ArrayList<>();
        List<SimulatedDisk> journals = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            SimulatedDisk pool = new SimulatedDisk(content.byteSize());
            pool.fill(content);
            pools.add(pool);
            journals.add(newJournal(JOURNAL_ID + i, content.byteSize()));
        }
        return new DiskMachine(pools, journals, 0, random);
    }

    private static SimulatedDisk newJournal(long id, long imageBytes) {
        SimulatedDisk journal = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile unused =
                DiskJournalFile.format(
                        "journal", journal, GEOMETRY, new byte[32], id, 8, imageBytes);
        return journal;
    }

    /** Opens the files; recovers them where they were not closed. Steps are told. */
    public PoolMemory open() {
        pools.forEach(pool -> pool.beforeEachStep(this::diskStep));
        journals.forEach(journal -> journal.beforeEachStep(this::diskStep));
        List<DiskJournalFile> opened =
                journals.stream()
                        .map(each -> DiskJournalFile.open("journal", each, GEOMETRY.batchBytes()))
                        .map(Optional::orElseThrow)
                        .toList();
        SimulatedDisk first = pools.get(0);
        files = new JournaledFiles(pools, opened, mark(), random::nextLong, first.bytes());
        files.open();
        MemorySegment image = arena.allocate(first.bytes(), 4096);
        first.copyToZeros(image);
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

    /** How often the journal of each replica was synced, and its files. */
    public List<Long> syncsOfDisks() {
        return Stream.concat(journals.stream(), pools.stream()).map(SimulatedDisk::syncs).toList();
    }

    /** A program that knows nothing of journals stores a word in each file, and is killed. */
    public void leaveUnsynced(long offset, long value) {
        MemorySegment word = arena.allocate(Long.BYTES, Long.BYTES);
        word.set(ValueLayout.JAVA_LONG, 0, value);
        pools.forEach(pool -> pool.write(word, 0, Long.BYTES, offset));
    }

    /** A word as the disk of a replica has it. */
    public long onDisk(int replica, long offset) {
        return pools.get(replica).onDisk((int) (offset / Long.BYTES));
    }

    /** The next sync of a journal fails, which is that of a superblock: nothing else is left. */
    public void failNextSyncOfJournal(int replica) {
        running.settle();
        journals.get(replica).failNextSync();
    }

    /** The kernel writes some pages back by itself. */
    public void writeSomeBack() {
        pools.forEach(pool -> pool.writeSomeBack(random));
        journals.forEach(journal -> journal.writeSomeBack(random));
    }

    /** Whether the files of all replicas are the same, as whoever reads them finds them. */
    public boolean isLevel() {
        return pools.stream().allMatch(pool -> pool.isLike(pools.get(0)));
    }

    /** Whether the journals of all replicas reach equally far. */
    public boolean hasLevelJournals() {
        return journals.stream()
                        .map(each -> DiskJournalFile.open("journal", each, GEOMETRY.batchBytes()))
                        .map(Optional::orElseThrow)
                        .mapToLong(each -> each.replay(DiskJournalFile.Entries.NONE))
                        .distinct()
                        .count()
                == 1;
    }

    /** What is left of it when all disks but that one are lost. */
    public DiskMachine alone(int replica) {
        return new DiskMachine(
                List.of(pools.get(replica)), List.of(journals.get(replica)), marked, random);
    }

    /** One replica of this machine beside another's only one: it was away from there. */
    public DiskMachine beside(int replica, DiskMachine other) {
        List<SimulatedDisk> files = new ArrayList<>(other.pools);
        List<SimulatedDisk> both = new ArrayList<>(other.journals);
        files.add(replica, pools.get(replica));
        both.add(replica, journals.get(replica));
        return new DiskMachine(files, both, marked, random);
    }

    /** The journal of one replica is lost, and one is made in its place. */
    public DiskMachine withoutJournal(int replica) {
        List<SimulatedDisk> left = new ArrayList<>(journals);
        left.set(replica, newJournal(DiskJournalFile.NO_ID, pools.get(0).bytes()));
        return new DiskMachine(pools, left, marked, random);
    }

    /** What comes up after a power loss now, or after a kill. This one goes on undisturbed. */
    public DiskMachine crash(boolean byKill) {
        UnaryOperator<SimulatedDisk> after =
                byKill ? SimulatedDisk::afterKill : disk -> disk.afterPowerLoss(random);
        return new DiskMachine(
                pools.stream().map(after).toList(),
                journals.stream().map(after).toList(),
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
