package io.farheap.simulation;

import io.farheap.ObjectPool;
import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.ScrubResult;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.World;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** The application: opens the pool, commits from several threads, closes the pool. */
final class Program {
    /** Of one attempt: room, the answers, and as much again behind each of the other threads. */
    private static final long ATTEMPT_BOUND = 10 * Plan.COMMIT_TIMEOUT.toNanos();

    private static final int ATTEMPTS_IN_VAIN = 3;

    /** Microseconds between two comparisons. */
    private static final int LONGEST_REST = 20_000;

    private static final String TAKEN_OVER = "it was taken over (promoted)";
    private static final String NOT_COMPARABLE = "can't be compared";
    private static final String REOPEN = "close the pool and open it again";

    private final World world;
    private final Site site;
    private final Ledger ledger;
    private final Runnable onOpen;
    private final SimProcess process;
    private final int which;
    private final int commits;
    private final int longestPause;
    private final boolean takeOver;
    private final boolean overwrites;
    private final boolean scrub;

    /** Whether no commit may return without a replica. */
    private final boolean needsReplicas;

    private boolean attached;
    private boolean reopens;
    private boolean fenced;
    private boolean takenOver;
    private boolean notComparable;
    private BiConsumer<Integer, Row> onLate = (thread, row) -> {};
    private boolean finished;
    private long stoppedNanos;

    /**
     * @param which the machine: 0, or 1 of the second initiator
     * @param plan how much is committed, and how
     * @param takeOver end the right of whoever has a replica
     * @param overwrites have replicas become what the pool is, whatever they are
     * @param onOpen looks at the pool when it is open and nobody commits yet
     */
    Program(
            World world,
            Site site,
            Ledger ledger,
            int which,
            Plan plan,
            boolean takeOver,
            boolean overwrites,
            Runnable onOpen) {
        this.needsReplicas = plan.needsReplicas();
        this.onOpen = onOpen;
        this.world = world;
        this.site = site;
        this.ledger = ledger;
        this.which = which;
        this.commits = plan.commits();
        this.longestPause = plan.longestPause();
        this.scrub = plan.scrub();
        this.takeOver = takeOver;
        this.overwrites = overwrites;
        this.process = new SimProcess(world, site.initiator(which), "program");
    }

    void start() {
        Thread unused = process.start("main", this::run);
    }

    SimProcess process() {
        return process;
    }

    int which() {
        return which;
    }

    /** Whether the pool was open and looked at. */
    boolean isAttached() {
        return attached;
    }

    /** Whether everything was committed and the pool closed. */
    boolean isFinished() {
        return finished;
    }

    /** Another initiator has taken over: nothing may be acknowledged here any more. */
    void fence() {
        fenced = true;
    }

    /**
     * A replica was promoted: nothing that begins now may be acknowledged here.
     *
     * @param late told what returns all the same: it must have begun before
     */
    void fence(BiConsumer<Integer, Row> late) {
        onLate = late;
        fence();
    }

    /** Whether it was told at its opening that a replica is a pool of its own now. */
    boolean isTakenOver() {
        return takenOver;
    }

    /** Whether it was told at its opening that nobody knows which copy is newer. */
    boolean isNotComparable() {
        return notComparable;
    }

    /** It was stopped for so long: that is no fault of its waits. */
    void addStopped(long nanos) {
        stoppedNanos += nanos;
        ledger.addStopped(nanos);
    }

    private void run() {
        try {
            ObjectPool pool = site.open(which, takeOver, overwrites);
            world.note("open");
            work(pool);
            pool.close();
            site.closeFiles(which);
            finished = !reopens;
            world.note("closed");
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.REPLICA) {
                throw e;
            }
            world.note("not opened: " + e.getMessage());
            takenOver = e.getMessage().contains(TAKEN_OVER);
            notComparable = e.getMessage().contains(NOT_COMPARABLE);
        }
        process.kill();
        SimProcess.vanish();
    }

    private void work(ObjectPool pool) {
        Cells cells = new Cells(pool);
        if (!fenced) {
            for (int i = 0; i < ledger.threads(); i++) {
                ledger.recover(i, cells.read(i));
            }
            onOpen.run();
        }
        attached = true;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ledger.threads(); i++) {
            int thread = i;
            threads.add(process.start("worker" + i, () -> commitAll(cells, thread)));
        }
        if (scrub) {
            var unused = process.start("scrub", () -> compareAll(pool));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Until the pool is closed, which ends the comparison that is under way. */
    private void compareAll(ObjectPool pool) {
        while (!fenced) {
            ScrubResult result;
            try {
                result = pool.scrub();
            } catch (FarheapException e) {
                if (e.category() != FarheapException.Category.WRONG_USE) {
                    throw e;
                }
                world.note("comparing ended: " + e.getMessage());
                return;
            }
            if (!result.differences().isEmpty()) {
                throw new Violation(
                        "a comparison found what is no difference: " + result.differences());
            }
            if (result.comparedBytes() > 0) {
                world.count(Happening.COMPARED);
            }
            pause(world.random().nextInt(LONGEST_REST));
        }
    }

    private void commitAll(Cells cells, int thread) {
        while (ledger.acknowledged(thread).count() < commits && !reopens && !fenced) {
            long begin = world.now();
            long stopped = stoppedNanos;
            boolean done = commit(cells, thread);
            long took = world.now() - begin - (stoppedNanos - stopped);
            if (took > ATTEMPT_BOUND) {
                throw new Violation("a commit took " + took / 1_000_000 + " ms");
            }
            pause(
                    done
                            ? world.random().nextInt(longestPause)
                            : 20_000 + world.random().nextInt(100_000));
        }
        for (int i = 0; fenced && i < ATTEMPTS_IN_VAIN; i++) {
            commitInVain(cells, thread, i);
            pause(20_000 + world.random().nextInt(300_000));
        }
    }

    /** Another initiator has the replicas: nothing that begins now may return. */
    private void commitInVain(Cells cells, int thread, int number) {
        Row from = cells.read(thread);
        Row to = new Row(from.count() + 1, 1_000_000 + number, from.shared(), from.objectOf());
        try {
            cells.change(thread, from, to);
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.REPLICA) {
                throw e;
            }
            world.note(e.getMessage());
            world.count(Happening.FENCED);
            return;
        }
        if (needsReplicas) {
            throw new Violation("acknowledged though another initiator has taken over: " + to);
        }
    }

    private void pause(long micros) {
        SimTime.parkNanos(1000 * micros);
    }

    private boolean commit(Cells cells, int thread) {
        Row from = ledger.acknowledged(thread);
        Row to = ledger.begin(thread);
        long stopped = stoppedNanos;
        try {
            cells.change(thread, from, to);
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.REPLICA) {
                throw e;
            }
            failed(cells, thread, to, e, stoppedNanos > stopped);
            return false;
        }
        if (fenced) {
            // it had the answers of all replicas before it was taken over
            onLate.accept(thread, to);
            return false;
        }
        world.note("acknowledged " + thread + " " + to);
        ledger.acknowledge(thread, to);
        return true;
    }

    /**
     * @param stopped the program stood still meanwhile, and its bounds ran out
     */
    private void failed(Cells cells, int thread, Row to, FarheapException e, boolean stopped) {
        boolean unknown = e instanceof CommitUnknownException;
        world.note((unknown ? "unknown " : "refused ") + to + ": " + e.getMessage());
        if (!fenced) {
            ledger.fail(thread, unknown, cells.read(thread));
            if (!needsReplicas && !stopped) {
                throw new Violation("a commit threw that needs no replica: " + e.getMessage());
            }
        }
        reopens |= e.getMessage().contains(REOPEN);
    }
}
