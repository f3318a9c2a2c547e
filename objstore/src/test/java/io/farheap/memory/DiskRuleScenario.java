package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;

/**
 * Small machines with a disk journal, by the thousand: one transaction after another (undo entry,
 * two stores in place, a commit word), a second thread's counter, a checkpointer, a kernel that
 * writes back what it likes, power losses, kills and syncs that fail, at each step of all of that
 * and of the recoveries. Every word lies in a page of its own.
 */
final class DiskRuleScenario {
    private static final long PAGE = 4096;
    private static final long X = PAGE;
    private static final long Y = 2 * PAGE;
    private static final long UNDO = 3 * PAGE;
    private static final long COUNTER = 4 * PAGE;
    private static final long IMAGE = 5 * PAGE;

    /** So small that it goes round all the time. */
    private static final JournalGeometry GEOMETRY = new JournalGeometry(16 * 512, 512, 512);

    private static final long JOURNAL_ID = 4711;
    private static final int LIVES = 4;
    private static final int STEPS = 60;

    /** The power is lost, or the process killed, whatever was under way. */
    private static final class Fault extends Error {
        private static final long serialVersionUID = 1;
    }

    private final Random random;
    private final boolean ordersUndo;
    private final boolean settles;
    private SimulatedDisk pool = new SimulatedDisk(IMAGE);
    private SimulatedDisk journal = new SimulatedDisk(GEOMETRY.fileBytes());
    private long marked;
    private boolean calm;
    private boolean fault;
    private boolean killed;
    private boolean failed;
    private boolean inCheckpoint;
    private boolean recovering;
    private String wrong;

    // ---- of one life
    private PoolMemory memory;
    private JournaledFiles files;
    private DiskJournal running;
    private int step;
    private long value;

    // ---- what was promised
    private long acknowledged;
    private long started;
    private long counted;

    private DiskRuleScenario(long seed, String without) {
        random = new Random(seed);
        ordersUndo = !without.equals("order-undo");
        settles = !without.equals("settle-before-ack");
    }

    /**
     * Runs machines.
     *
     * @param without a rule of the workload's that is not kept; empty: none
     * @return what was wrong with the first that recovered to what it must not; null: none did
     */
    static String firstWrong(String without, int machines) {
        for (int seed = 0; seed < machines; seed++) {
            String found = new DiskRuleScenario(seed, without).run();
            if (found != null) {
                return found + " (seed " + seed + ")";
            }
        }
        return null;
    }

    private String run() {
        DiskJournalFile unused =
                DiskJournalFile.format(
                        "journal", journal, GEOMETRY, new byte[32], JOURNAL_ID, nonce(), IMAGE);
        for (int life = 0; life <= LIVES && wrong == null; life++) {
            calm = life == LIVES;
            live();
        }
        return wrong;
    }

    private long nonce() {
        return random.nextLong();
    }

    private void live() {
        fault = false;
        killed = false;
        failed = false;
        inCheckpoint = false;
        recovering = false;
        pool.beforeEachStep(this::poolStep);
        journal.beforeEachStep(this::mayEnd);
        try {
            open();
            recoverLane();
            for (int i = 0; i < STEPS && wrong == null; i++) {
                tick();
            }
            if (random.nextBoolean()) {
                close();
            } else {
                end(random.nextBoolean());
            }
        } catch (Fault | RuntimeException e) {
            if (!fault && !failed && wrong == null) {
                throw e;
            }
        }
        checkUnmarked();
        if (killed || (failed && random.nextBoolean())) {
            pool = pool.afterKill();
            journal = journal.afterKill();
        } else {
            pool = pool.afterPowerLoss(random);
            journal = journal.afterPowerLoss(random);
        }
    }

    /** Whoever finds no mark uses the files as they are. */
    private void checkUnmarked() {
        if (marked == 0) {
            MemorySegment left = pool.afterPowerLoss(random).cache();
            check(left, "without a mark, after a power loss");
        }
    }

    private void open() {
        DiskJournalFile opened =
                DiskJournalFile.open("journal", journal, GEOMETRY.batchBytes()).orElse(null);
        if (opened == null) {
            wrong = "no superblock is left";
            end(false);
        }
        files = new JournaledFiles(List.of(pool), List.of(opened), mark(), this::nonce, IMAGE);
        recovering = true;
        try {
            files.open();
        } catch (FarheapException e) {
            if (e.category() == Category.BAD_DATA) {
                wrong = "refused: " + e.getMessage();
            }
            throw e;
        }
        recovering = false;
        MemorySegment image = Arena.ofAuto().allocate(IMAGE, PAGE);
        pool.copyToZeros(image);
        running = files.start(image);
        memory = new PoolMemory(image, running);
        check(image, "recovered");
        step = 0;
    }

    private JournaledFiles.Mark mark() {
        return new JournaledFiles.Mark() {
            @Override
            public long journalId() {
                return marked;
            }

            @Override
            public void set(long journalId) {
                mayEnd();
                marked = journalId;
            }

            @Override
            public void clear() {
                mayEnd();
                marked = 0;
            }
        };
    }

    private void check(MemorySegment image, String when) {
        long undo = image.get(ValueLayout.JAVA_LONG, UNDO);
        long x = undo != 0 ? undo - 1 : image.get(ValueLayout.JAVA_LONG, X);
        long y = undo != 0 ? undo - 1 : image.get(ValueLayout.JAVA_LONG, Y);
        long counter = image.get(ValueLayout.JAVA_LONG, COUNTER);
        if (x != y || x < acknowledged || x > started || counter < counted) {
            wrong =
                    when
                            + ": x "
                            + x
                            + ", y "
                            + y
                            + ", acknowledged "
                            + acknowledged
                            + ", started "
                            + started
                            + ", counter "
                            + counter
                            + " of "
                            + counted;
        }
    }

    private void recoverLane() {
        long undo = memory.getLong(UNDO);
        if (undo != 0) {
            put(X, undo - 1);
            put(Y, undo - 1);
            memory.order();
            put(UNDO, 0);
            memory.order();
        }
        memory.settle();
    }

    private void put(long offset, long word) {
        memory.putLong(offset, word);
        memory.flush(offset, Long.BYTES);
    }

    /** One thing happens. */
    private void tick() {
        mayEnd();
        if (running.isCheckpointDue()) {
            checkpoint(); // nobody else makes room
            return;
        }
        switch (random.nextInt(10)) {
            case 0 -> pool.writeSomeBack(random);
            case 1 -> journal.writeSomeBack(random);
            case 2 -> checkpoint();
            case 3 -> count();
            default -> transaction();
        }
    }

    private void checkpoint() {
        if (!inCheckpoint) {
            inCheckpoint = true;
            files.checkpointer().checkpoint();
            inCheckpoint = false;
        }
    }

    private void count() {
        memory.addLong(COUNTER, 1);
        memory.flush(COUNTER, Long.BYTES);
        memory.fence();
        counted = memory.getLong(COUNTER);
    }

    private void transaction() {
        switch (step) {
            case 0 -> {
                value = memory.getLong(X) + 1;
                started = Math.max(started, value);
                memory.putLong(UNDO, value);
                if (ordersUndo) {
                    memory.flush(UNDO, Long.BYTES);
                    memory.order();
                }
            }
            case 1 -> put(X, value);
            case 2 -> put(Y, value);
            case 3 -> memory.order();
            case 4 -> {
                put(UNDO, 0);
                memory.order();
            }
            default -> {
                if (settles) {
                    memory.settle();
                }
                acknowledged = value;
            }
        }
        step = (step + 1) % 6;
    }

    private void close() {
        while (step != 0) {
            transaction();
        }
        // A word that counts for nothing, and is never flushed.
        memory.putLong(X + 8, random.nextLong());
        files.close(
                pages -> {
                    for (long page = 0; page < IMAGE / PAGE; page++) {
                        pages.accept(page);
                    }
                },
                () -> {
                    MemorySegment durable = pool.afterPowerLoss(new Random(0)).cache();
                    if (memory.image().asSlice(PAGE).mismatch(durable.asSlice(PAGE)) >= 0) {
                        wrong = "the mark goes before the disk has what the image has";
                    }
                });
    }

    /** While the checkpointer works others do. */
    private void poolStep() {
        mayEnd();
        for (int i = random.nextInt(4); inCheckpoint && i > 0; i--) {
            tick();
        }
    }

    private void mayEnd() {
        if (fault) {
            throw new Fault();
        }
        if (!calm && random.nextInt(recovering ? 12 : 120) == 0) {
            end(random.nextInt(3) == 0);
        }
        if (!calm && random.nextInt(200) == 0) {
            failed = true;
            (random.nextBoolean() ? pool : journal).failNextSync();
        }
    }

    private void end(boolean byKill) {
        fault = true;
        killed = byKill;
        throw new Fault();
    }
}
