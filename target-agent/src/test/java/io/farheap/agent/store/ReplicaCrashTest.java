package io.farheap.agent.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.store.ReplicaLife.Violation;
import io.farheap.testing.CrashSimulation;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The target loses power at every flush and every fence of a replica's life, and again while it
 * recovers. What comes up then must be promotable to a commit boundary at or after the last
 * acknowledged commit, whatever subset of the unflushed words is lost; and no flush and no fence
 * can be left out without this showing.
 */
class ReplicaCrashTest {
    private static final int SEED = 5;

    /** Of the flushes and fences one in so many is cut off, or left out. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 4;

    /** How a life begins. */
    private interface Beginning {
        ReplicaLife of(SimulatedReplica replica, int randomCrashes, BooleanSupplier quiet);
    }

    /** Nothing happens at the others. */
    private static BooleanSupplier others() {
        int[] steps = new int[1];
        return () -> steps[0]++ % STRIDE != 0;
    }

    private static ReplicaLife ofMember(long seed, int randomCrashes) {
        return ReplicaLife.ofMember(ReplicaLife.member(), seed, randomCrashes, () -> false);
    }

    @Test
    @Tag("sliced")
    void everyCrashLeavesACommitBoundaryAtOrAfterTheLastAcknowledgement() {
        long seed = System.nanoTime();
        try (ReplicaLife life = ReplicaLife.ofMember(ReplicaLife.member(), seed, 1, others())) {
            life.life();
            assertThat(life.crashes()).isGreaterThan(200 / STRIDE);
        } catch (Violation e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    /** As over RDMA where the journal's file can't be registered. */
    @Test
    @Tag("sliced")
    void everyCrashBehindABounceRingLeavesACommitBoundaryAtOrAfterTheLastAcknowledgement() {
        long seed = System.nanoTime();
        try (ReplicaLife life =
                ReplicaLife.ofMemberBehindABounceRing(ReplicaLife.member(), seed, 1, others())) {
            life.life();
            assertThat(life.crashes()).isGreaterThan(200 / STRIDE);
        } catch (Violation e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    /** As over RDMA where a READ proves what is durable: the agent hears of no record. */
    @Test
    @Tag("sliced")
    void everyCrashOfAWatchedRingLeavesACommitBoundaryAtOrAfterTheLastRead() {
        long seed = System.nanoTime();
        try (ReplicaLife life =
                ReplicaLife.ofWatchedMember(ReplicaLife.member(), seed, 1, others())) {
            life.life();
            assertThat(life.crashes()).isGreaterThan(200 / STRIDE);
        } catch (Violation e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    @Test
    void everyCrashOfAReplicasStatesLeavesWhatTheNumbersSay() {
        long seed = System.nanoTime();
        try (ReplicaLife life =
                new ReplicaLife(SimulatedReplica.unformatted(), seed, 1, () -> false)) {
            life.lifeOfStates();
            assertThat(life.crashes()).isGreaterThan(100);
        } catch (Violation e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    @Test
    @Tag("long")
    void everyCrashOfManyLives() {
        for (long seed = 1; seed <= 40; seed++) {
            try (ReplicaLife life = ofMember(seed, 4)) {
                life.life();
            } catch (Violation e) {
                throw new AssertionError("seed " + seed, e);
            }
            try (ReplicaLife life =
                    ReplicaLife.ofWatchedMember(ReplicaLife.member(), seed, 4, () -> false)) {
                life.life();
            } catch (Violation e) {
                throw new AssertionError("watched, seed " + seed, e);
            }
        }
    }

    @Test
    @Tag("sliced")
    void noFlushOrFenceOfCommitsAndApplyCanBeLeftOut() {
        SimulatedReplica member = ReplicaLife.member();
        eachStepCounts(
                (replica, randomCrashes, quiet) ->
                        ReplicaLife.ofMember(replica, SEED, randomCrashes, quiet),
                member::copy,
                ReplicaLife::lifeOfCommits);
    }

    @Test
    @Tag("sliced")
    void noFlushOrFenceOfTheStatesCanBeLeftOut() {
        eachStepCounts(
                (replica, randomCrashes, quiet) ->
                        new ReplicaLife(replica, SEED, randomCrashes, quiet),
                SimulatedReplica::unformatted,
                ReplicaLife::lifeOfStates);
    }

    private static void eachStepCounts(
            Beginning beginning, Supplier<SimulatedReplica> base, Consumer<ReplicaLife> course) {
        SimulatedReplica whole = base.get();
        ReplicaLife life = beginning.of(whole, 0, () -> true);
        try (life) {
            course.accept(life);
        }
        for (int m = 0; m < whole.machines().size(); m++) {
            CrashSimulation machine = whole.machines().get(m);
            BitSet flushes = counting(machine.flushes(), life.needlessFlushes(machine));
            BitSet fences = counting(machine.fences(), life.needlessFences(machine));
            assertThat(flushes.cardinality()).as("flushes of medium %s", m).isGreaterThan(5);
            assertThat(fences.cardinality()).as("fences of medium %s", m).isGreaterThan(4);
            int medium = m;
            flushes.stream()
                    .filter(i -> i % STRIDE == 0)
                    .forEach(i -> assertCounts(beginning, base, course, medium, i, false));
            fences.stream()
                    .filter(i -> i % STRIDE == 0)
                    .forEach(i -> assertCounts(beginning, base, course, medium, i, true));
        }
    }

    private static BitSet counting(int count, BitSet needless) {
        BitSet steps = new BitSet();
        steps.set(0, count);
        steps.andNot(needless);
        return steps;
    }

    /** Most are found out when all is lost that may be; some only by a lucky part of it. */
    private static void assertCounts(
            Beginning beginning,
            Supplier<SimulatedReplica> base,
            Consumer<ReplicaLife> course,
            int medium,
            int step,
            boolean fence) {
        for (int randomCrashes : new int[] {0, 6}) {
            SimulatedReplica replica = base.get();
            CrashSimulation machine = replica.machines().get(medium);
            BooleanSupplier before = () -> machine.flushes() <= step;
            if (fence) {
                machine.dropFence(step);
                before = () -> machine.fences() <= step;
            } else {
                machine.dropFlush(step);
            }
            try (ReplicaLife life = beginning.of(replica, randomCrashes, before)) {
                course.accept(life);
            } catch (Violation e) {
                return;
            }
        }
        throw new AssertionError(
                (fence ? "fence " : "flush ")
                        + step
                        + " of medium "
                        + medium
                        + " left out: nobody saw it");
    }
}
