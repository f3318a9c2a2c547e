package io.farheap.agent.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.journal.JournalFile;
import io.farheap.agent.records.RecordWriter;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The target of a program's remote memory loses power at every flush and every fence, and again at
 * the openings in between: what was answered is there, in the order of the records, each whole.
 */
class MemoryCrashTest {
    /** At one in so many flushes and fences power is lost. */
    private static final int STEPS_TO_A_CRASH = Boolean.getBoolean("test.deep") ? 1 : 4;

    private static final int OPENINGS = 3;
    private static final int RECORDS = 12;
    private static final int WORDS = 16;
    private static final long FIRST_WORD = 4096;
    private static final long STRIDE = 512;
    private static final long FILLING_AT = 32 << 10;
    private static final int FILLING = 1500;

    private final long seed = new Random().nextLong() >>> 16;
    private final Random random = new Random(seed);
    private final SimulatedReplica target = SimulatedReplica.unformatted();

    /** What the words were after each record. */
    private final List<long[]> states = new ArrayList<>();

    private int answered;
    private int steps;
    private int crashes;
    private boolean crashing;

    @Test
    @Tag("sliced")
    void everyCrashLeavesWhatWasAnsweredAndNothingBetweenTwoRecords() {
        states.add(new long[WORDS]);
        JournalFile.format(
                target.journal,
                SimulatedReplica.RING_BYTES,
                SimulatedReplica.UUID,
                ReplicaSlot.memory());
        target.machines().forEach(machine -> machine.beforeEachStep(this::crashHere));
        for (int opening = 1; opening <= OPENINGS; opening++) {
            ReplicaStore store = target.start();
            store.startMemory(opening * 1000L);
            run(store, new RecordWriter(store.intake().ring(), opening * 1000L));
        }
        assertThat(crashes).as("seed " + seed).isGreaterThan(200 / STEPS_TO_A_CRASH);
    }

    private void run(ReplicaStore store, RecordWriter writer) {
        for (int i = 0; i < RECORDS; i++) {
            long before = writer.position();
            send(writer);
            assertThat(store.intake().flush(before, writer.position()))
                    .isEqualTo(writer.sequence());
            answered = states.size() - 1;
            switch (random.nextInt(3)) {
                case 0 -> assertThat(store.applyBatch()).isPositive();
                case 1 -> assertRead(store);
                default -> {}
            }
            if (writer.room(store.slot().appliedPosition()) < 4 * FILLING) {
                assertThat(store.applyBatch()).isPositive();
            }
        }
    }

    /** A record of some words, and so many bytes that a few of them are a lap. */
    private void send(RecordWriter writer) {
        long[] next = states.get(states.size() - 1).clone();
        int first = random.nextInt(WORDS - 3);
        for (int w = first; w < first + 3; w++) {
            next[w] = states.size() * 100L + w;
        }
        states.add(next);
        MemorySegment filling = Arena.ofAuto().allocate(FILLING, 8);
        writer.record(
                0, // it does not matter what it says is committed
                3 * 16 + 16 + ((FILLING + 7) & -8L),
                entries -> {
                    for (int w = first; w < first + 3; w++) {
                        entries.set(FIRST_WORD + w * STRIDE, next[w]);
                    }
                    entries.copy(FILLING_AT, filling, 0, FILLING);
                });
    }

    /** What is answered is read, applied or not. */
    private void assertRead(ReplicaStore store) {
        for (int w = 0; w < WORDS; w++) {
            byte[] word =
                    store.readImage(FIRST_WORD + w * STRIDE, Long.BYTES, true)
                            .content()
                            .toByteArray();
            long read = MemorySegment.ofArray(word).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            assertThat(read).isEqualTo(states.get(answered)[w]);
        }
    }

    private void crashHere() {
        if (crashing || steps++ % STEPS_TO_A_CRASH != 0) {
            return;
        }
        crashing = true;
        for (Loss loss : Loss.values()) {
            SimulatedReplica left = target.crash(loss, random);
            crashes++;
            try {
                assertWhole(left);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", loss " + loss, e);
            }
        }
        crashing = false;
    }

    private void assertWhole(SimulatedReplica left) {
        left.start().startMemory(1_000_000);
        long[] found = new long[WORDS];
        for (int w = 0; w < WORDS; w++) {
            found[w] = left.image.getLong(FIRST_WORD + w * STRIDE);
        }
        assertThat(states.subList(answered, states.size()))
                .as("what may be there after %d answers", answered)
                .anySatisfy(state -> assertThat(found).isEqualTo(state));
    }
}
