package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.Ref;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a replica gets that is copied while transactions are open. */
@Timeout(60)
class CommittedViewTest {
    private static final long TYPE = 7;
    private static final int LARGE = 8000;

    private final CrashSimulation machine = SimulatedPool.formatted();
    private final RecordingSink sink = new RecordingSink();
    private final ObjectPool pool = SimulatedPool.open(machine, sink);
    private final Ref object = pool.compute(tx -> tx.allocateZeroed(LARGE, TYPE));

    private byte[] view(long offset, long length) {
        MemorySegment copy = Arena.ofAuto().allocate(length);
        sink.committed.read(object.offset() + offset, copy, length);
        return copy.toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void storesInPlaceAreLeftOutUntilTheyAreCommitted() {
        pool.transaction(
                tx -> {
                    tx.snapshot(object, 100, 50).fill((byte) 1);
                    tx.snapshot(object, 200, 7000).fill((byte) 2); // in an extension of the log
                    assertThat(pool.readBytes(object, 100, 1)).containsOnly(1);
                    assertThat(view(0, LARGE)).containsOnly(0);
                    assertThat(view(120, 100)).as("a part of both").containsOnly(0);
                });
        byte[] after = view(0, LARGE);
        assertThat(after).startsWith(new byte[100]);
        assertThat(after[100]).isEqualTo((byte) 1);
        assertThat(after[7199]).isEqualTo((byte) 2);
        assertThat(after[7200]).isZero();
    }

    /** Whoever copies looks again at what ended: after it did. */
    @Test
    void whatEndsIsSaidAfterwards() {
        sink.afterwards.clear();
        pool.transaction(tx -> tx.snapshot(object, 64, 8).fill((byte) 3));
        assertThat(sink.afterwards).hasSize(1);
        assertThat(sink.afterwards.get(0))
                .anyMatch(entry -> entry.offset() == object.offset() + 64);
        sink.afterwards.clear();
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.snapshot(object, 128, 8).fill((byte) 4);
                                            throw new IllegalStateException("no");
                                        }))
                .hasMessage("no");
        assertThat(sink.afterwards).hasSize(1);
        List<RecordingSink.Entry> undone = sink.afterwards.get(0);
        assertThat(undone).hasSize(1);
        assertThat(undone.get(0).offset()).isEqualTo(object.offset() + 128);
        assertThat(undone.get(0).bytes()).as("put back already").containsOnly(0);
    }

    @Test
    void memoryOfALogThatIsGivenBackIsSaidToo() {
        Ref large = pool.compute(tx -> tx.allocateZeroed(100_000, TYPE));
        pool.transaction(tx -> tx.snapshot(large, 0, 100_000).fill((byte) 4)); // its block is made
        sink.afterwards.clear();
        pool.transaction(tx -> tx.snapshot(large, 0, 100_000).fill((byte) 5));
        assertThat(sink.afterwards).as("the word of the second extension").hasSize(2);
        assertThat(sink.afterwards.get(0)).hasSize(1);
        assertThat(sink.afterwards.get(0).get(0).kind()).isEqualTo('S');
    }

    /** Two words that every transaction makes equal differ in no view, but while one ends. */
    private static final int VIEWS = Boolean.getBoolean("test.deep") ? 20_000 : 5_000;

    @Test
    @Tag("sliced")
    void aViewIsOfOneInstantUnlessSomethingEnds() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong ends = new AtomicLong();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (long n = 1; !stop.get(); n++) {
                                        change(n, ends);
                                    }
                                });
        int compared = 0;
        for (int i = 0; i < VIEWS || compared < 100; i++) {
            long before = ends.get();
            MemorySegment view = MemorySegment.ofArray(view(0, 16));
            if (before % 2 == 0 && ends.get() == before) {
                compared++;
                assertThat(view.get(ValueLayout.JAVA_LONG_UNALIGNED, 0))
                        .isEqualTo(view.get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
            }
        }
        stop.set(true);
        writer.join();
        pool.close();
    }

    private void change(long n, AtomicLong ends) {
        try {
            pool.transaction(
                    tx -> {
                        MemorySegment words = tx.snapshot(object, 0, 16);
                        words.set(ValueLayout.JAVA_LONG, 0, n);
                        Thread.onSpinWait();
                        words.set(ValueLayout.JAVA_LONG, 8, n);
                        ends.incrementAndGet();
                        if (n % 3 == 0) {
                            throw new IllegalStateException("rolled back");
                        }
                    });
        } catch (IllegalStateException rolledBack) {
            assertThat(n % 3).isZero();
        }
        ends.incrementAndGet();
    }
}
