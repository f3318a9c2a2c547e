package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashVictim.Scene;
import io.farheap.heap.MemoryInUse;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashChoices;
import io.farheap.testing.CrashPoint;
import io.farheap.testing.CrashPoint.State;
import io.farheap.testing.CrashPoint.Words;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Unsettled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Runs operations on a pool in the memory of a {@link CrashSimulation} and cuts the power after
 * each store and before each flush and fence: in every way that what is not durable yet may be
 * lost, or in a sample of them, each state once. The states are recovered on other machines
 * meanwhile.
 */
final class CrashEnumeration implements AutoCloseable {
    /** One or more transactions; each must be one step from boundary to boundary. */
    @FunctionalInterface
    interface Step {
        void run(ObjectPool pool) throws Exception;
    }

    /**
     * How thorough to be.
     *
     * @param combinations up to how many are all tried at one point
     * @param samplesAtSteps how many otherwise, before a flush or fence
     * @param samplesAtStores how many otherwise, after a store; {@link #NO_STORES}: none at all
     * @param recoveriesCut one recovery in so many loses power at each of its steps
     */
    record Effort(int combinations, int samplesAtSteps, int samplesAtStores, int recoveriesCut) {
        static final int NO_STORES = -1;
    }

    /**
     * What was found out about one operation.
     *
     * @param wrong states that are neither the old nor the new one, or not sound
     * @param unflushed words that count and were not durable when it returned
     * @param vain flushes and fences without effect
     */
    record Findings(
            String name,
            int points,
            int states,
            List<String> wrong,
            List<String> unflushed,
            Set<String> vain) {}

    private static final int MOST_FINDINGS = 5;

    private final CrashSimulation machine;
    private final Effort effort;
    private final long seed;
    private final MemorySegment base;
    private final int threads = Runtime.getRuntime().availableProcessors();
    private final ExecutorService workers = Executors.newFixedThreadPool(threads);
    private final Semaphore room = new Semaphore(8 * threads);
    private final BlockingQueue<CrashVictim> victims = new ArrayBlockingQueue<>(threads);
    private final Set<Long> seen = ConcurrentHashMap.newKeySet();
    private final Map<PoolState, String> found = new ConcurrentHashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int generation;
    private int points;
    private Words durable;
    private int durableAt;

    CrashEnumeration(CrashSimulation machine, Effort effort, long seed) {
        this.machine = machine;
        this.effort = effort;
        this.seed = seed;
        long size = machine.memory().size();
        base = Arena.ofAuto().allocate(size, 64);
        for (int i = 0; i < threads; i++) {
            victims.add(new CrashVictim(size));
        }
    }

    /** Runs one operation on the open pool; fails when any crash leaves what it must not. */
    Findings step(ObjectPool pool, String name, Step step) {
        try {
            Findings findings = explore(pool, name, step);
            assertThat(findings.wrong()).as(name).isEmpty();
            return findings;
        } catch (Exception e) {
            throw new AssertionError(name, e);
        }
    }

    /** Runs one operation on the open pool, and all that may become of it. */
    Findings explore(ObjectPool pool, String name, Step step) throws Exception {
        PoolState before = PoolState.of(pool);
        base.copyFrom(machine.durable());
        generation++;
        points = 0;
        durable = null;
        seen.clear();
        found.clear();
        wrong.clear();
        List<String> vain = new ArrayList<>();
        machine.beforeEachStep(() -> crash(name, true));
        if (effort.samplesAtStores != Effort.NO_STORES) {
            machine.afterEachStore(() -> crash(name, false));
        }
        machine.collectVain(vain);
        try {
            step.run(pool);
        } finally {
            machine.beforeEachStep(() -> {});
            machine.afterEachStore(() -> {});
            machine.collectVain(null);
            awaitVerdicts();
        }
        PoolState after = PoolState.of(pool);
        judge(List.of(before, after));
        // Images seen before may come again: now they must not lead to the old state any more.
        Set<Long> tried = new HashSet<>(seen);
        seen.clear();
        crash(name + " returned", true);
        awaitVerdicts();
        judge(List.of(after));
        tried.addAll(seen);
        return new Findings(
                name,
                points,
                tried.size(),
                List.copyOf(wrong),
                unflushed(),
                new LinkedHashSet<>(vain));
    }

    private void judge(List<PoolState> allowed) {
        found.forEach(
                (state, where) -> {
                    if (!allowed.contains(state)) {
                        report(where + ": found " + state + ", allowed " + allowed);
                    }
                });
        found.clear();
    }

    private void report(String what) {
        synchronized (wrong) {
            if (wrong.size() < MOST_FINDINGS) {
                wrong.add(what);
            }
        }
    }

    private synchronized void crash(String name, boolean atStep) {
        int number = points++;
        List<Unsettled> words = atStep ? machine.unsettled() : machine.knownUnsettled();
        if (durable == null || durableAt != machine.fences()) {
            durable = CrashPoint.difference(machine, base);
            durableAt = machine.fences();
        }
        CrashPoint point = new CrashPoint(base, durable, words);
        Random random =
                new Random(
                        new SplittableRandom(seed ^ name.hashCode() + (long) number << 32)
                                .nextLong());
        CrashChoices.of(
                words,
                effort.combinations,
                atStep ? effort.samplesAtSteps : effort.samplesAtStores,
                random,
                choice -> {
                    long hash = point.hash(choice);
                    if (seen.add(hash)) {
                        submit(point.state(choice, hash), name + ", point " + number);
                    }
                });
    }

    private void submit(State state, String where) {
        Scene scene = new Scene(base, generation, effort.recoveriesCut, seen, found::putIfAbsent);
        String place = where + ", state " + Long.toHexString(state.hash()) + ", seed " + seed;
        room.acquireUninterruptibly();
        workers.execute(
                () -> {
                    CrashVictim victim = victims.remove();
                    try {
                        victim.recover(scene, state, place);
                    } catch (Throwable e) {
                        report(place + ": " + withCauses(e));
                    } finally {
                        victims.add(victim);
                        room.release();
                    }
                });
    }

    private static String withCauses(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            text.append(at).append(" at ").append(at.getStackTrace()[0]).append("; ");
        }
        return text.toString();
    }

    private void awaitVerdicts() {
        room.acquireUninterruptibly(8 * threads);
        room.release(8 * threads);
    }

    /** Words that count and may be lost although the operation has returned. */
    private List<String> unflushed() {
        BitSet inUse = MemoryInUse.words(machine.memory());
        Set<Long> tolerated = generationsOfExtensions(machine.memory());
        List<String> lost = new ArrayList<>();
        for (Unsettled word : machine.unsettled()) {
            if (inUse.get((int) (word.offset() >> 3)) && !tolerated.contains(word.offset())) {
                lost.add("0x" + Long.toHexString(word.offset()) + " of " + word.values().length);
            }
        }
        return lost;
    }

    /**
     * The generation numbers in the extensions of undo logs: nobody reads them, they are stored as
     * libpmemobj stores them (docs/format.md#redo-log).
     */
    private static Set<Long> generationsOfExtensions(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        Set<Long> offsets = new LinkedHashSet<>();
        for (int lane = 0; lane < descriptor.laneCount(); lane++) {
            long log = descriptor.lanesOffset() + lane * LaneLayout.SIZE + LaneLayout.UNDO;
            long next = memory.getLong(log + LogLayout.NEXT);
            if (next != 0) {
                offsets.add(LogLayout.extensionHeader(next) + LogLayout.GEN_NUM);
            }
        }
        return offsets;
    }

    @Override
    public void close() {
        workers.close();
    }
}
