package io.farheap.simulation;

import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import io.farheap.testing.CrashSimulation;
import java.nio.file.Path;
import java.util.Random;

/**
 * One history: a program that commits to a replicated pool while things go wrong. When they don't
 * any more, everything must come to its end within a bound, and every copy must be right.
 */
final class History implements HistoryReport.Run {
    private static final long MILLI = 1_000_000;
    private static final long TROUBLED = 120 * MILLI;

    /** After so long nothing is wrong any more. */
    private static final long QUIET = 4_000 * MILLI;

    private static final long BOUND = 40_000 * MILLI;
    private static final int MOST_NATIVE_OPENINGS = 2;

    private final World world;
    private final Site site;
    private final Plan plan;
    private final Ledger ledger;
    private final Examiner examiner;
    private final Trace trace;
    private Program program;
    private Program fenced;
    private int owner;
    private Promotion promotion;
    private int openings;
    private int nativeOpenings;

    /** Somebody has to open the pool once more before all replicas are current. */
    private boolean reopens;

    /** Somebody was told that a replica is not comparable, and orders that it be overwritten. */
    private boolean overwrites;

    /** A history of that seed, on disks that are as every history begins. */
    History(long seed, Media media, Path poolsets, Trace trace) {
        this.trace = trace;
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.plan = Plan.of(random);
        this.world = new World(seed, plan.pointsPerSwitch(), trace);
        this.ledger = new Ledger(world, plan.threads(), plan.lag());
        this.site = new Site(world, media, plan, poolsets);
        this.examiner = new Examiner(ledger, media);
    }

    Program program() {
        return program;
    }

    /** Lets it happen; throws what is wrong. */
    @Override
    public void run() {
        world.note(plan.toString());
        if (plan.firstSync()) {
            site.targetDisk(world.random().nextInt(site.replicas())).loseFiles();
        }
        start(false);
        new Troubles(world, site, this).plan(plan.troubles(), TROUBLED);
        if (plan.takeOver() && plan.hasOneHistory()) {
            var unused = world.after(world.random().nextLong(TROUBLED), this::takeOver);
        }
        if (plan.isPromoting()) {
            var unused = world.after(world.random().nextLong(TROUBLED), this::promote);
        }
        world.run(this::isOver, BOUND);
        examine("at the end");
        if (isPromoted()) {
            examinePromoted();
            return;
        }
        if (!plan.hasOneHistory() || reopens) {
            long healed = world.now() + QUIET;
            var unused = world.at(healed, () -> {});
            world.run(() -> world.now() >= healed, BOUND);
            site.disarm();
            overwrites = nativeOpenings > 0;
            start(true); // brings those back that were left out
            world.run(() -> program.isFinished(), BOUND);
        }
        finish();
    }

    private boolean isOver() {
        if (promotion != null && !promotion.isOver()) {
            return false;
        }
        if (isPromoted()) {
            return promotion.isOwned() && program.process().isDead() && program.isTakenOver();
        }
        return program.isFinished() && (fenced == null || fenced.process().isDead());
    }

    /** A replica is promoted, whatever the program does. */
    private void promote() {
        if (!program.isFinished()) {
            int index = world.random().nextInt(site.replicas());
            world.note("target" + index + " is to be promoted");
            promotion = new Promotion(world, site, ledger, index, this::examinePromoted);
            promotion.start(this::promoted);
        }
    }

    private void promoted() {
        program.fence(ledger::acknowledgeLate);
        if (program.process().isDead()) {
            restartAfter(program);
        }
    }

    private boolean isPromoted() {
        return promotion != null && promotion.isDone();
    }

    /** Whether that one is a pool of its own now, whose disk nobody has replaced. */
    boolean isPromoted(int index) {
        return promotion != null && promotion.index() == index;
    }

    private void examinePromoted() {
        CrashSimulation image = site.targetDisk(promotion.index()).image();
        examiner.pool(image.memory(), "the promoted pool");
    }

    /**
     * The program is stopped, a second initiator goes on with a copy of the pool as it is then, and
     * the first one wakes up when that has the replicas.
     */
    private void takeOver() {
        if (fenced != null || program.process().isDead() || !program.isAttached()) {
            return;
        }
        world.note("a second initiator takes over");
        fenced = program;
        fenced.process().stop();
        fenced.fence();
        site.copyPool();
        owner = 1;
        start(true);
        wakeWhenTakenOver(world.now());
    }

    private void wakeWhenTakenOver(long stopped) {
        if (program.isAttached()) {
            world.count(Happening.TAKE_OVER);
            fenced.addStopped(world.now() - stopped);
            fenced.process().resume();
        } else {
            var unused = world.after(20 * MILLI, () -> wakeWhenTakenOver(stopped));
        }
    }

    private void start(boolean takeOver) {
        openings++;
        program =
                new Program(
                        world,
                        site,
                        ledger,
                        owner,
                        plan,
                        takeOver,
                        overwrites,
                        this::examineOpened);
        if (isPromoted()) {
            program.fence(ledger::acknowledgeLate);
        }
        Program started = program;
        started.process().atDeath(() -> restartAfter(started));
        started.start();
    }

    /** Somebody starts the program again, some time after it ended. */
    private void restartAfter(Program ended) {
        if (isPromoted() ? returnsAgain(ended) : !ended.isFinished() && ended != fenced) {
            // Of a map that was lost nobody but the program knew what it had proven.
            overwrites = nativeOpenings > 0 || plan.mapFaults() > 0 && ended.isNotComparable();
            long pause = 1 + world.random().nextLong(400 * MILLI);
            boolean takeOver = world.random().nextBoolean();
            boolean natively = opensNatively();
            var unused =
                    world.after(
                            pause,
                            () -> {
                                if (program == ended && natively) {
                                    openNatively(() -> start(takeOver));
                                } else if (program == ended) {
                                    start(takeOver);
                                }
                            });
        }
    }

    /** Until the client was told what happened. */
    private boolean returnsAgain(Program ended) {
        if (ended.isTakenOver()) {
            world.count(Happening.RETURNED);
        }
        return !ended.isTakenOver();
    }

    /** Not where a copy of the pool goes on elsewhere. */
    private boolean opensNatively() {
        return plan.nativeOpen()
                && !plan.takeOver()
                && promotion == null
                && nativeOpenings < MOST_NATIVE_OPENINGS
                && world.random().nextInt(3) > 0;
    }

    private void openNatively(Runnable then) {
        nativeOpenings++;
        reopens = true;
        overwrites = false;
        new NativeProgram(world, site, ledger, owner).run(this::examinePool, then);
    }

    /** A replica has lost what it had: it is made again when the pool is opened. */
    void loseReplica() {
        reopens = true;
    }

    /** The program dies; with it, perhaps, the machine's power. */
    void killProgram(boolean power) {
        if (program.process().isDead()) {
            return;
        }
        Machine machine = program.process().machine();
        world.count(power ? Happening.PROGRAM_POWER : Happening.PROGRAM_KILLED);
        if (power) {
            machine.setUp(false);
        }
        program.process().kill();
        if (power) {
            site.losePower(program.which());
            machine.setUp(true);
        }
        var unused = world.after(0, () -> examine("after the program died"));
    }

    /** Looks at every replica as it lies on its disk. */
    void examine(String when) {
        examine(true, when);
    }

    private void examine(boolean begun, String when) {
        if (isPromoted()) {
            return; // the others are replicas of a pool that does not count any more
        }
        long number = number();
        for (int i = 0; i < site.replicas(); i++) {
            examiner.replica(i, number, begun, when);
        }
    }

    private long number() {
        return site.number(owner);
    }

    /** Nothing is committed yet: whoever is a member has everything. */
    private void examineOpened() {
        examinePool();
        boolean[] done = {false};
        var unused =
                world.after(
                        0,
                        () -> {
                            examine(false, "before the first commit");
                            done[0] = true;
                        });
        while (!done[0]) {
            SimTime.parkNanos(1000);
        }
    }

    private void examinePool() {
        examiner.pool(site.localPool(owner), "the local pool");
    }

    private void finish() {
        examinePool();
        for (int i = 0; i < site.replicas(); i++) {
            examiner.current(i, number());
            if (!site.targetDisk(i).isOtherPoolUntouched()) {
                throw new Violation("target" + i + ": the files of another pool were changed");
            }
        }
    }

    /** Nothing of it stays but what can be asked for. */
    @Override
    public void end() {
        site.end();
        world.end();
    }

    /** What it was, in a line. */
    @Override
    public String summary() {
        return plan
                + ": "
                + world.now() / MILLI
                + " ms, "
                + trace.steps()
                + " steps, opened "
                + openings
                + " times, "
                + ledger.acknowledged()
                + " acknowledged, "
                + ledger.unknown()
                + " unknown, "
                + ledger.refused()
                + " refused";
    }
}
