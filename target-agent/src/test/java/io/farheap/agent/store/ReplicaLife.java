package io.farheap.agent.store;

import static io.farheap.agent.store.SimulatedReplica.HEAP;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.records.RecordWriter;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ProgressLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.journal.SlotLayout;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * An initiator with its replica. At every flush and fence the replica's machine loses power, and
 * what is left is checked: promotable to a commit boundary at or after the last acknowledgement,
 * recognised by the number that the initiator has, and by no other.
 */
public final class ReplicaLife implements AutoCloseable {
    public static final long EPOCH = 1000;
    private static final int WORDS = 32;
    private static final long STRIDE = 256;

    /** Bytes that make a record so long that a few of them are a lap of the ring. */
    private static final int FILLING = 2000;

    /** What is not durable must not have been promised: told from an error of the code itself. */
    static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Violation(String message, Throwable cause) {
            super(message, cause);
        }
    }

    final SimulatedReplica replica;
    private final Random random;
    private int randomCrashes;

    /** As in a session: each thread's fence is for its own flushes only. */
    private final ExecutorService data = Executors.newSingleThreadExecutor();

    private final ExecutorService applier = Executors.newSingleThreadExecutor();

    /** What the image holds: words of the heap, and the root's size in the descriptor. */
    private final long[] local = new long[WORDS + 1];

    private final List<long[]> allowed = new ArrayList<>();
    private ReplicaStore store;

    /** Whether the initiator writes to a bounce ring. */
    private boolean bounces;

    /** Whether records come without a word, and become durable without the agent. */
    private boolean watched;

    /** Where it writes to. */
    private MemorySegment ring;

    private RecordWriter writer;
    private long epoch = EPOCH;
    private long commits;

    /** The highest term of which a writer was answered. */
    private long heard;

    /** What the local pool's run_id is; 0 while the replica need not know it. */
    private long number;

    /** A number that must not be recognised any more, or 0. */
    private long lostNumber;

    /** Whether a replica without content, or half copied, would be a loss. */
    private boolean promotable;

    /** Whether an agent's start may find a journal that was never finished. */
    private boolean formatting;

    /** Those whose loss harms nobody: each is excused where it happens, with the reason. */
    private final Map<CrashSimulation, BitSet> needlessFlushes = new HashMap<>();

    private final Map<CrashSimulation, BitSet> needlessFences = new HashMap<>();

    /** Nothing is lost yet: no need to crash. */
    private final BooleanSupplier quiet;

    private int crashes;

    ReplicaLife(SimulatedReplica replica, long seed, int randomCrashes, BooleanSupplier quiet) {
        this.quiet = quiet;
        this.replica = replica;
        this.random = new Random(seed);
        this.randomCrashes = randomCrashes;
        allowed.add(local.clone());
        for (CrashSimulation machine : replica.machines()) {
            needlessFlushes.put(machine, new BitSet());
            needlessFences.put(machine, new BitSet());
            machine.beforeEachStep(this::crashHere);
        }
    }

    /** The life of a replica that is a member of {@link #EPOCH}. */
    static ReplicaLife ofMember(
            SimulatedReplica replica, long seed, int randomCrashes, BooleanSupplier quiet) {
        return asMember(new ReplicaLife(replica, seed, randomCrashes, quiet));
    }

    /** The same; the initiator does not reach the journal itself. */
    static ReplicaLife ofMemberBehindABounceRing(
            SimulatedReplica replica, long seed, int randomCrashes, BooleanSupplier quiet) {
        ReplicaLife life = new ReplicaLife(replica, seed, randomCrashes, quiet);
        life.bounces = true;
        return asMember(life);
    }

    /** The same; the initiator sends no messages, but reads. */
    static ReplicaLife ofWatchedMember(
            SimulatedReplica replica, long seed, int randomCrashes, BooleanSupplier quiet) {
        ReplicaLife life = new ReplicaLife(replica, seed, randomCrashes, quiet);
        life.watched = true;
        return asMember(life);
    }

    private static ReplicaLife asMember(ReplicaLife life) {
        life.promotable = true;
        life.number = EPOCH;
        life.restart();
        assertThat(life.store.resume(EPOCH)).isEqualTo(AttachDecision.CURRENT);
        life.writer = new RecordWriter(life.ring, EPOCH);
        return life;
    }

    /** A replica with an empty pool that is a member of {@link #EPOCH}. */
    public static SimulatedReplica member() {
        SimulatedReplica replica = SimulatedReplica.fresh();
        SimulatedReplica.join(replica.start(), SimulatedReplica.emptyPool(), 10, EPOCH);
        return replica.copy();
    }

    BitSet needlessFlushes(CrashSimulation machine) {
        return needlessFlushes.get(machine);
    }

    BitSet needlessFences(CrashSimulation machine) {
        return needlessFences.get(machine);
    }

    int crashes() {
        return crashes;
    }

    @Override
    public void close() {
        data.shutdown();
        applier.shutdown();
    }

    // ---- the crashes ----

    void crashHere() {
        if (quiet.getAsBoolean()) {
            return;
        }
        crash(Loss.ALL);
        crash(Loss.NONE);
        for (int i = 0; i < randomCrashes; i++) {
            crash(Loss.RANDOM);
        }
    }

    private void crash(Loss loss) {
        crashes++;
        SimulatedReplica left = replica.crash(loss, random);
        try {
            if (random.nextInt(24) == 0) {
                crashInRecovery(left.copy());
            }
            assertRecognises(left);
            assertPublishedIsDurable(left);
            assertPromotable(left);
        } catch (RuntimeException | AssertionError e) {
            throw new Violation("crash " + crashes + ", " + loss, e);
        }
    }

    private void crashInRecovery(SimulatedReplica left) {
        Runnable again =
                () -> {
                    assertPromotable(left.crash(Loss.ALL, random));
                    assertPromotable(left.crash(Loss.RANDOM, random));
                };
        left.machines().forEach(machine -> machine.beforeEachStep(again));
        assertPromotable(left);
    }

    /** The agent as it starts again, or null where there need not be a replica yet. */
    private ReplicaStore start(SimulatedReplica left) {
        try {
            return left.start();
        } catch (FarheapException e) {
            assertThat(formatting).as("unreadable: %s", e.getMessage()).isTrue();
            return null;
        }
    }

    private void assertRecognises(SimulatedReplica left) {
        ReplicaStore restarted = start(left);
        if (restarted == null) {
            return;
        }
        assertThat(restarted.slot().term()).as("the term").isGreaterThanOrEqualTo(heard);
        long runId = new Descriptor(left.image).runId();
        if (number != 0) {
            assertThat(
                            SlotEvents.report(
                                            restarted.slot(),
                                            restarted.slot().appliedSequence(),
                                            runId)
                                    .decisionOn(number, List.of()))
                    .isEqualTo(AttachDecision.CURRENT);
        }
        if (lostNumber != 0) {
            assertThat(
                            SlotEvents.report(
                                            restarted.slot(),
                                            restarted.slot().appliedSequence(),
                                            runId)
                                    .decisionOn(lostNumber, List.of()))
                    .isNotEqualTo(AttachDecision.CURRENT);
        }
    }

    /** A writer of that term is answered. */
    private void hear(long term) {
        store.greet(term, 0);
        heard = term;
        crashHere();
    }

    /** The initiator stores over what it has read to be applied. */
    private void assertPublishedIsDurable(SimulatedReplica left) {
        if (watched && store != null) {
            ReplicaSlot durable = SlotLayout.read(left.journal.image(), "replica");
            MemorySegment published = store.intake().published();
            if (durable.journalEpoch() == ProgressLayout.epoch(published, 0)) {
                assertThat(ProgressLayout.appliedSequence(published, 0))
                        .as("published")
                        .isLessThanOrEqualTo(durable.appliedSequence());
            }
        }
    }

    private void assertPromotable(SimulatedReplica left) {
        ReplicaStore restarted = start(left);
        ReplicaState state = restarted == null ? ReplicaState.NEW : restarted.slot().state();
        if (state == ReplicaState.NEW || state == ReplicaState.SYNCING) {
            assertThat(promotable).as("promotable in state " + state).isFalse();
            return;
        }
        long unused = restarted.ownership().promote();
        long[] words = words(left.image);
        assertThat(allowed)
                .as("boundaries allowed; found %s", Arrays.toString(words))
                .anySatisfy(each -> assertThat(words).isEqualTo(each));
        assertCleanLanes(left.image);
    }

    private void assertCleanLanes(PoolMemory image) {
        for (long lane : new long[] {0, 511, Descriptor.DEFAULT_LANE_COUNT - 1}) {
            assertThat(image.getLong(undoCapacityOf(lane)))
                    .as("capacity of lane %s", lane)
                    .isEqualTo(LaneLayout.UNDO_CAPACITY);
        }
    }

    private static long undoCapacityOf(long lane) {
        return Descriptor.DEFAULT_LANES_OFFSET
                + lane * LaneLayout.SIZE
                + LaneLayout.UNDO
                + LogLayout.CAPACITY;
    }

    static long[] words(PoolMemory image) {
        long[] words = new long[WORDS + 1];
        for (int i = 0; i < WORDS; i++) {
            words[i] = image.getLong(HEAP + i * STRIDE);
        }
        words[WORDS] = image.getLong(Descriptor.ROOT_SIZE);
        return words;
    }

    // ---- steps that may be left out ----

    private void needless(Runnable steps) {
        Map<CrashSimulation, int[]> before = new HashMap<>();
        for (CrashSimulation machine : replica.machines()) {
            before.put(machine, new int[] {machine.flushes(), machine.fences()});
        }
        steps.run();
        for (CrashSimulation machine : replica.machines()) {
            int[] was = before.get(machine);
            needlessFlushes.get(machine).set(was[0], machine.flushes());
            needlessFences.get(machine).set(was[1], machine.fences());
        }
    }

    // ---- what the initiator does ----

    private static <T> T on(ExecutorService thread, Callable<T> step) {
        try {
            return thread.submit(step).get();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        }
    }

    /** The journal is made, then the first full copy, then the first epoch. */
    void join() {
        formatting = true;
        replica.format();
        formatting = false;
        restart();
        fillAnew();
        copyAll(10, AttachDecision.NEW);
    }

    /** A full copy by order, over a replica that is in sync with something else. */
    void copyAgain() {
        number = 0;
        fillAnew();
        copyAll(7, AttachDecision.NOT_COMPARABLE);
    }

    private void fillAnew() {
        for (int i = 0; i < WORDS; i++) {
            local[i] = epoch * 1000 + i;
        }
        local[WORDS] = epoch;
    }

    private void copyAll(long l, AttachDecision expected) {
        long next = epoch + 1000;
        assertThat(store.switching().attach(l, next, List.of(), SlotReport.NOT_KNOWN, true))
                .isEqualTo(expected);
        on(data, () -> startSync(expected));
        crashHere();
        needless(this::leaveALane); // no step of the agent
        MemorySegment pool = SimulatedReplica.emptyPool();
        for (int i = 0; i < WORDS; i++) {
            pool.set(ValueLayout.JAVA_LONG, HEAP + i * STRIDE, local[i]);
        }
        pool.set(ValueLayout.JAVA_LONG, Descriptor.ROOT_SIZE, local[WORDS]);
        putAll(pool);
        // The lanes' own fence: the copy's follows before anything is promised.
        needlessFences.get(replica.imageMachine).set(replica.imageMachine.fences());
        if (expected != AttachDecision.NEW) {
            // Their own flush, too: of a copy over something else all is flushed once more.
            needlessFlushes.get(replica.imageMachine).set(replica.imageMachine.flushes());
        }
        on(
                data,
                () -> {
                    store.switching().syncComplete(next, SimulatedReplica.LAYOUT);
                    return null;
                });
        confirm(next);
    }

    /** Somebody had the pool open here once, and died. */
    private void leaveALane() {
        long at = undoCapacityOf(511); // not in a block that the copy touches anyway
        replica.image.putLong(at, 64);
        replica.image.persist(at, Long.BYTES);
    }

    private Void startSync(AttachDecision expected) {
        if (expected == AttachDecision.NEW) {
            // What is lost of it leaves a replica without content, as it was before.
            needless(store.switching()::startSync);
        } else {
            promotable = false;
            store.switching().startSync();
        }
        return null;
    }

    private void putAll(MemorySegment pool) {
        on(
                data,
                () -> {
                    store.switching().putImage(0, pool, 0, Descriptor.END);
                    for (int i = 0; i < WORDS; i++) {
                        store.switching()
                                .putImage(HEAP + i * STRIDE, pool, HEAP + i * STRIDE, Long.BYTES);
                        if (i % 8 == 0) {
                            crashHere(); // stores that nobody has flushed can be there
                        }
                    }
                    return null;
                });
    }

    /** Posts one commit of three words and a copy; acknowledged when this returns. */
    void commit() {
        post();
        acknowledge();
    }

    private void post() {
        long value = ++commits;
        int first = random.nextInt(WORDS - 4);
        for (int i = first; i < first + 4; i++) {
            local[i] = value * 100 + i;
        }
        allowed.add(local.clone());
        MemorySegment word = Arena.ofAuto().allocate(8, 8);
        word.set(ValueLayout.JAVA_LONG, 0, local[first + 3]);
        writer.record(
                Math.max(0, writer.sequence() - random.nextInt(2)),
                16 * 3 + 24 + 16 + FILLING,
                entries -> {
                    for (int i = first; i < first + 3; i++) {
                        entries.set(HEAP + i * STRIDE, local[i]);
                    }
                    entries.copy(HEAP + (first + 3) * STRIDE, word, 0, 8);
                    entries.copy(
                            HEAP + WORDS * STRIDE, Arena.ofAuto().allocate(FILLING, 8), 0, FILLING);
                });
    }

    /** Posts one commit that touches words no other one touches: each of its stores counts. */
    private void postApart() {
        int first = (int) (2 * ++commits) % WORDS;
        local[first] = commits;
        local[first + 1] = -commits;
        allowed.add(local.clone());
        MemorySegment word = Arena.ofAuto().allocate(8, 8);
        word.set(ValueLayout.JAVA_LONG, 0, local[first + 1]);
        writer.record(
                writer.sequence(),
                16 + 24,
                entries -> {
                    entries.set(HEAP + first * STRIDE, local[first]);
                    entries.copy(HEAP + (first + 1) * STRIDE, word, 0, 8);
                });
    }

    private void commitApart() {
        postApart();
        acknowledge();
    }

    private void acknowledge() {
        flush();
        onlyTheLastIsAllowed();
    }

    private void onlyTheLastIsAllowed() {
        allowed.subList(0, allowed.size() - 1).clear();
    }

    private void flush() {
        if (watched) {
            readBehindTheWrites();
            return;
        }
        assertThat(on(data, () -> store.intake().flush(0, writer.position())))
                .isEqualTo(writer.sequence());
    }

    /**
     * A READ that comes back: what was written before it is durable, and the agent hears nothing.
     */
    private void readBehindTheWrites() {
        if (random.nextBoolean()) {
            boolean unused = on(applier, store.intake()::look); // before that
        }
        needless(
                () -> {
                    replica.journal.flush(JournalLayout.RING, ring.byteSize());
                    replica.journal.fence();
                });
    }

    private long lookAndApply() {
        boolean unused = store.intake().look();
        return store.applyBatch();
    }

    private long appliedPosition() {
        return watched
                ? ProgressLayout.appliedPosition(store.intake().published(), 0)
                : store.slot().appliedPosition();
    }

    private void apply() {
        while (on(applier, this::lookAndApply) > 0) {
            assertThat(store.slot().appliedSequence()).isLessThanOrEqualTo(writer.sequence());
        }
    }

    private void applyAll() {
        // An empty record lost is one that never came.
        writer.empty(writer.sequence());
        needless(this::flush);
        apply();
    }

    private void commitWhenThereIsRoom() {
        while (writer.room(appliedPosition()) < 3 * (FILLING + 128)) {
            writer.empty(writer.sequence());
            flush();
            apply();
        }
        commit();
    }

    /**
     * The agent starts again. It flushes the journal, though all of it happens to be durable: what
     * its predecessor did is not known to it.
     */
    private void restart() {
        needless(() -> store = replica.start());
        ring = bounces ? store.intake().bounceRing() : store.intake().ring();
        if (watched) {
            store.watchRing();
        }
    }

    /**
     * The agent dies with a record in the page cache, and starts again in the same epoch: what it
     * reports then counts as acknowledged.
     */
    private void resumeWithAnUnflushedRecord() {
        postApart();
        // Of the two halves of the ring, only the second holds the new record.
        needlessFlushes.get(replica.journalMachine).set(replica.journalMachine.flushes());
        store = replica.start();
        assertThat(store.resume(epoch)).isEqualTo(AttachDecision.CURRENT);
        assertThat(store.report().lastSequence()).isEqualTo(writer.sequence());
        onlyTheLastIsAllowed();
        crashHere();
    }

    /** The last commit posted came to nothing on the initiator. */
    private void postInVain() {
        long[] before = local.clone();
        postApart();
        needless(this::flush); // nobody was told that this one is durable
        System.arraycopy(before, 0, local, 0, WORDS);
    }

    /** The agent dies and starts again; the initiator attaches, with what it has. */
    private void reattach() {
        restart();
        long next = epoch + 1000;
        assertThat(store.switching().attach(epoch, next, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        for (ByteRange range : store.switching().footprint()) {
            MemorySegment content = Arena.ofAuto().allocate(range.length(), 8);
            for (int i = 0; i < WORDS; i++) {
                long at = HEAP + i * STRIDE - range.offset();
                if (at >= 0 && at < range.length()) {
                    content.set(ValueLayout.JAVA_LONG_UNALIGNED, at, local[i]);
                }
            }
            on(
                    data,
                    () -> {
                        store.switching().putImage(range.offset(), content, 0, range.length());
                        return null;
                    });
        }
        store.switching().prepare();
        confirm(next);
    }

    /** The initiator lost the connection, and goes on in the same run. */
    private void drain(long d) {
        restart();
        long next = epoch + 1000;
        assertThat(store.switching().attach(epoch, next, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        store.switching().drain(d);
        store.switching().prepare();
        confirm(next);
    }

    /** The initiator's number is {@code next} now: the switch point was passed. */
    private void confirm(long next) {
        number = next;
        allowed.add(local.clone());
        int before = randomCrashes;
        randomCrashes *= 6; // one step in which the image must have been durable before
        store.switching().confirm(next, false);
        randomCrashes = before;
        onlyTheLastIsAllowed();
        promotable = true;
        epoch = next;
        writer = new RecordWriter(ring, epoch);
        crashHere();
    }

    private void takeOver() {
        restart();
        number = 0;
        heard = 0; // what a person makes a pool of its own has left the writers' terms
        long unused = store.ownership().promote();
        assertThat(words(replica.image)).isEqualTo(local);
        lostNumber = epoch;
        long runId = new Descriptor(replica.crash(Loss.ALL, random).image).runId();
        if (runId != store.slot().cur()) {
            throw new Violation("the promoted pool's own number is not durable", null);
        }
        crashHere();
    }

    /** The promoted pool was copied back; the first initiator goes on with it, as it has it. */
    private void giveBack() {
        restart();
        epoch += 100_000;
        store.ownership().restoreComplete(epoch);
        number = epoch;
        crashHere();
        restart();
        number = 0; // until the copy is complete
        fillAnew(); // opening it has changed what it has
        copyAll(epoch, AttachDecision.CURRENT);
    }

    /** The promoted pool's owner opens it and commits: whoever it was given to is too late. */
    private void ownerOpensIt() {
        restart();
        long given = epoch + 500;
        store.ownership().restoreComplete(given);
        number = given;
        crashHere();
        number = 0;
        // The owner's steps, not the agent's.
        needless(
                () -> {
                    long runId = replica.image.getLong(Descriptor.RUN_ID) + 2;
                    replica.image.putLong(Descriptor.RUN_ID, runId);
                    replica.image.persist(Descriptor.RUN_ID, Long.BYTES);
                    lostNumber = given;
                    local[0] = runId;
                    allowed.add(local.clone());
                    replica.image.putLong(HEAP, local[0]);
                    replica.image.persist(HEAP, Long.BYTES);
                    onlyTheLastIsAllowed();
                });
        restart();
        assertThat(store.slot().cur()).isEqualTo(replica.image.getLong(Descriptor.RUN_ID));
        crashHere();
    }

    // ---- whole lives ----

    /** Everything that can happen to a member, with laps of the ring. */
    void life() {
        for (int i = 0; i < 10; i++) {
            commitWhenThereIsRoom();
            if (random.nextInt(3) == 0) {
                apply();
            }
        }
        postInVain();
        reattach();
        commit();
        commit();
        apply();
        commit();
        long d = writer.sequence();
        postInVain();
        drain(d);
        commit();
        takeOver();
        giveBack();
        commit();
        postInVain();
        reattach();
        crashHere();
    }

    /** A shorter one, in which every flush and fence of commits and of apply counts. */
    void lifeOfCommits() {
        commitApart();
        commitApart();
        commitApart();
        applyAll();
        writer.fillTheLap(writer.sequence());
        commitApart();
        postInVain();
        reattach();
        commitApart();
        commitApart();
        commitApart();
        applyAll();
        writer.fillTheLap(writer.sequence());
        commitApart();
        resumeWithAnUnflushedRecord();
        commitApart();
        takeOver();
    }

    /** One in which every flush and fence of the changes of its state counts. */
    void lifeOfStates() {
        join();
        hear(3);
        commitApart();
        copyAgain();
        hear(4);
        commitApart();
        postInVain();
        long d = writer.sequence() - 1;
        drain(d);
        commitApart();
        takeOver();
        ownerOpensIt();
        giveBack();
        commitApart();
        crashHere();
    }
}
