package io.farheap.agent;

import static io.farheap.agent.SimulatedReplica.HEAP;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.Descriptor;
import io.farheap.memory.CrashSimulation.Loss;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.VerdictKind;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The target loses power at every flush and every fence of a replica's life. What comes up then
 * must be promotable to a commit boundary at or after the last acknowledged commit, whatever subset
 * of the unflushed words is lost; and no flush and no fence can be left out without this showing.
 */
class ReplicaCrashTest {
    private static final int WORDS = 32;
    private static final long STRIDE = 256;
    private static final long EPOCH = 1000;

    /** A found violation, as told from an error of the code under test. */
    private static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Violation(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * An initiator with its replica; at every step the machine is crashed and what is left checked.
     */
    private static final class Run implements AutoCloseable {
        final SimulatedReplica replica;
        final Random random;
        int randomCrashes;

        /** As in a session: each thread's fence is for its own flushes only. */
        final ExecutorService data = Executors.newSingleThreadExecutor();

        final ExecutorService applier = Executors.newSingleThreadExecutor();
        long number = EPOCH;
        final long[] local = new long[WORDS];
        final List<long[]> allowed = new ArrayList<>();
        ReplicaStore store;
        RecordWriter writer;
        long epoch = EPOCH;
        long commits;

        /** Those whose loss harms nobody: each is excused where it happens, with the reason. */
        final BitSet needlessFlushes = new BitSet();

        final BitSet needlessFences = new BitSet();

        /** Nothing is lost before: no need to crash yet. */
        int quietFlushes = -1;

        int quietFences = -1;
        boolean promotable;
        int crashes;

        Run(SimulatedReplica replica, long seed, int randomCrashes) {
            this.replica = replica;
            this.random = new Random(seed);
            this.randomCrashes = randomCrashes;
            allowed.add(local.clone());
            replica.machine.beforeEachStep(this::crashHere);
        }

        static <T> T on(ExecutorService thread, Callable<T> step) {
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

        @Override
        public void close() {
            data.shutdown();
            applier.shutdown();
        }

        void crashHere() {
            if (replica.machine.flushes() <= quietFlushes
                    || replica.machine.fences() <= quietFences) {
                return;
            }
            check(Loss.ALL);
            check(Loss.NONE);
            for (int i = 0; i < randomCrashes; i++) {
                check(Loss.RANDOM);
            }
        }

        private void check(Loss loss) {
            crashes++;
            SimulatedReplica left = replica.crash(loss, random);
            try {
                ReplicaStore restarted = left.start();
                ReplicaState state = restarted.slot().state();
                if (state == ReplicaState.NEW || state == ReplicaState.SYNCING) {
                    assertThat(promotable).as("promotable in state " + state).isFalse();
                    return;
                }
                if (number != 0 && promotable) {
                    assertThat(SlotEvents.verdict(restarted.slot(), number, 0))
                            .isEqualTo(VerdictKind.RECOGNISED);
                }
                long unused = restarted.promote();
                long[] words = words(left.image);
                assertThat(allowed)
                        .as("boundaries allowed; found %s", Arrays.toString(words))
                        .anySatisfy(each -> assertThat(words).isEqualTo(each));
            } catch (RuntimeException | AssertionError e) {
                throw new Violation("crash " + crashes + ", " + loss, e);
            }
        }

        static long[] words(PoolMemory image) {
            long[] words = new long[WORDS];
            for (int i = 0; i < WORDS; i++) {
                words[i] = image.getLong(HEAP + i * STRIDE);
            }
            return words;
        }

        void join(MemorySegment pool) {
            store = replica.start();
            SimulatedReplica.join(store, pool, 10, epoch);
            promotable = true;
            writer = new RecordWriter(store.ring(), epoch);
        }

        /** Posts one commit of three words and a copy; acknowledged when this returns. */
        void commit() {
            post();
            acknowledge();
        }

        void post() {
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
                    16 * 3 + 24 + 1016,
                    entries -> {
                        for (int i = first; i < first + 3; i++) {
                            entries.set(HEAP + i * STRIDE, local[i]);
                        }
                        entries.copy(HEAP + (first + 3) * STRIDE, word, 0, 8);
                        entries.copy(
                                HEAP + WORDS * STRIDE, Arena.ofAuto().allocate(1000, 8), 0, 1000);
                    });
        }

        /** Posts one commit that touches words no other one touches: each of its stores counts. */
        void postApart() {
            int first = (int) (2 * ++commits);
            local[first] = commits;
            local[first + 1] = -commits;
            allowed.add(local.clone());
            MemorySegment word = Arena.ofAuto().allocate(8, 8);
            word.set(ValueLayout.JAVA_LONG, 0, local[first + 1]);
            writer.record(
                    writer.sequence(),
                    16 + 24,
                    entries -> {
                        entries.or(HEAP + first * STRIDE, local[first]);
                        entries.copy(HEAP + (first + 1) * STRIDE, word, 0, 8);
                    });
        }

        void commitApart() {
            postApart();
            acknowledge();
        }

        void acknowledge() {
            flush();
            allowed.subList(0, allowed.size() - 1).clear();
        }

        void flush() {
            assertThat(on(data, () -> store.flush(0, writer.position())))
                    .isEqualTo(writer.sequence());
        }

        void apply() {
            while (on(applier, store::applyBatch) > 0) {
                assertThat(store.slot().appliedSequence()).isLessThanOrEqualTo(writer.sequence());
            }
        }

        void applyAll() {
            // An empty record lost is one that never came.
            writer.empty(writer.sequence());
            needless(this::flush);
            apply();
        }

        void commitWhenThereIsRoom() {
            while (writer.room(store.slot().appliedPosition()) < 3 * 1280) {
                writer.empty(writer.sequence());
                flush();
                apply();
            }
            commit();
        }

        /**
         * The agent starts again. It flushes the journal, though all of it happens to be durable:
         * what its predecessor did is not known to it.
         */
        private void restart() {
            needless(() -> store = replica.start());
        }

        private void needless(Runnable steps) {
            int flushes = replica.machine.flushes();
            int fences = replica.machine.fences();
            steps.run();
            needlessFlushes.set(flushes, replica.machine.flushes());
            needlessFences.set(fences, replica.machine.fences());
        }

        /**
         * The agent dies with a record in the page cache, and starts again in the same epoch: what
         * it reports then counts as acknowledged.
         */
        void resumeWithAnUnflushedRecord() {
            postApart();
            // Of the two halves of the ring, only the second holds the new record.
            needlessFlushes.set(replica.machine.flushes());
            store = replica.start();
            assertThat(store.resume(epoch)).isEqualTo(VerdictKind.RECOGNISED);
            assertThat(store.report().lastSequence()).isEqualTo(writer.sequence());
            allowed.subList(0, allowed.size() - 1).clear();
            crashHere();
        }

        /** The agent dies and starts again; the initiator attaches, with what it has. */
        void reattach() {
            restart();
            long next = epoch + 1000;
            // It must be durable when the image is, whose fence makes up for this one.
            needlessFences.set(replica.machine.fences());
            assertThat(store.attach(epoch, next, false)).isEqualTo(VerdictKind.RECOGNISED);
            for (ByteRange range : store.footprint()) {
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
                            store.putImage(range.offset(), content, 0, range.length());
                            return null;
                        });
            }
            confirm(next);
        }

        /** The initiator lost the connection, and goes on in the same run. */
        void drain(long d) {
            restart();
            long next = epoch + 1000;
            assertThat(store.attach(epoch, next, false)).isEqualTo(VerdictKind.RECOGNISED);
            store.drain(d);
            confirm(next);
        }

        private void confirm(long next) {
            store.prepare();
            number = next;
            allowed.add(local.clone());
            int before = randomCrashes;
            randomCrashes *= 6; // one step in which the image must have been durable before
            store.confirm(next);
            randomCrashes = before;
            allowed.subList(0, allowed.size() - 1).clear();
            epoch = next;
            writer = new RecordWriter(store.ring(), epoch);
        }

        /** The last commit posted came to nothing on the initiator. */
        void rollBackTo(long[] before) {
            System.arraycopy(before, 0, local, 0, WORDS);
        }

        void life() {
            for (int i = 0; i < 14; i++) {
                commitWhenThereIsRoom();
                if (random.nextInt(3) == 0) {
                    apply();
                }
            }
            long[] before = local.clone();
            post();
            flush();
            rollBackTo(before);
            reattach();
            commit();
            commit();
            apply();
            commit();
            long d = writer.sequence();
            before = local.clone();
            post();
            flush();
            rollBackTo(before);
            drain(d);
            commit();
            takeOver();
        }

        void takeOver() {
            restart();
            number = 0;
            long unused = store.promote();
            assertThat(words(replica.image)).isEqualTo(local);
            long runId = new Descriptor(replica.crash(Loss.ALL, random).image).runId();
            if (runId != store.slot().cur()) {
                throw new Violation("the promoted pool's own number is not durable", null);
            }
        }

        /** A shorter life, in which every flush and fence can be left out. */
        void shortLife() {
            commitApart();
            commitApart();
            commitApart();
            applyAll();
            writer.fillTheLap(writer.sequence());
            commitApart();
            long[] before = local.clone();
            postApart();
            needless(this::flush); // nobody was told that this one is durable
            rollBackTo(before);
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
            crashHere();
        }
    }

    private static SimulatedReplica joined() {
        SimulatedReplica replica = SimulatedReplica.fresh();
        SimulatedReplica.join(replica.start(), SimulatedReplica.emptyPool(), 10, EPOCH);
        return replica.copy();
    }

    private static Run resumed(SimulatedReplica replica, long seed, int randomCrashes) {
        Run run = new Run(replica, seed, randomCrashes);
        run.promotable = true;
        run.restart();
        assertThat(run.store.resume(EPOCH)).isEqualTo(VerdictKind.RECOGNISED);
        run.writer = new RecordWriter(run.store.ring(), EPOCH);
        return run;
    }

    @Test
    void aNewReplicaIsPromotableOnlyOnceItIsConfirmed() {
        try (Run run = new Run(SimulatedReplica.fresh(), 1, 1)) {
            run.join(SimulatedReplica.emptyPool());
            run.crashHere();
            assertThat(run.crashes).isGreaterThan(30);
        }
    }

    @Test
    void everyCrashLeavesACommitBoundaryAtOrAfterTheLastAcknowledgement() {
        long seed = System.nanoTime();
        try (Run run = resumed(joined(), seed, 1)) {
            run.life();
            assertThat(run.crashes).isGreaterThan(200);
        } catch (Violation e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    @Test
    @Tag("long")
    void everyCrashOfManyLives() {
        for (long seed = 1; seed <= 40; seed++) {
            try (Run run = resumed(joined(), seed, 4)) {
                run.life();
            } catch (Violation e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void noFlushCanBeLeftOut() {
        SimulatedReplica base = joined();
        SimulatedReplica whole = base.copy();
        Run run = quiet(resumed(whole, 5, 0));
        run.shortLife();
        run.close();
        int count = whole.machine.flushes();
        BitSet needless = run.needlessFlushes;
        assertThat(count - needless.cardinality()).isGreaterThan(12);
        for (int i = needless.nextClearBit(0); i < count; i = needless.nextClearBit(i + 1)) {
            SimulatedReplica replica = base.copy();
            replica.machine.dropFlush(i);
            Run cut = resumed(replica, 5, 6);
            cut.quietFlushes = i;
            assertThat(isFoundOut(cut)).as("flush %s left out", i).isTrue();
        }
    }

    @Test
    void noFenceCanBeLeftOut() {
        SimulatedReplica base = joined();
        SimulatedReplica whole = base.copy();
        Run run = quiet(resumed(whole, 5, 0));
        run.shortLife();
        run.close();
        int count = whole.machine.fences();
        BitSet needless = run.needlessFences;
        assertThat(count - needless.cardinality()).isGreaterThan(12);
        for (int i = needless.nextClearBit(0); i < count; i = needless.nextClearBit(i + 1)) {
            SimulatedReplica replica = base.copy();
            replica.machine.dropFence(i);
            Run cut = resumed(replica, 5, 6);
            cut.quietFences = i;
            assertThat(isFoundOut(cut)).as("fence %s left out", i).isTrue();
        }
    }

    private static Run quiet(Run run) {
        run.quietFlushes = Integer.MAX_VALUE;
        return run;
    }

    private static boolean isFoundOut(Run run) {
        try (run) {
            run.shortLife();
            return false;
        } catch (Violation e) {
            return true;
        }
    }
}
