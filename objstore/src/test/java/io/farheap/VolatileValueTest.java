package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.VolatileValue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Values that live for one run, with their place in an object. */
class VolatileValueTest extends LockFixture {
    @Test
    void aVolatileValueIsMadeOncePerRun() throws Exception {
        AtomicInteger made = new AtomicInteger();
        VolatileValue<String> value = pool.locks().volatileValue(object, 0);
        byte[] before = bytes();

        assertThat(value.get(() -> "made " + made.incrementAndGet())).isEqualTo("made 1");
        assertThat(value.get(() -> "made " + made.incrementAndGet())).isEqualTo("made 1");
        VolatileValue<String> again = pool.locks().volatileValue(object, 0);
        assertThat(OtherThread.doing(() -> again.get(() -> "no")).result()).isEqualTo("made 1");
        VolatileValue<String> other = pool.locks().volatileValue(object, 8);
        assertThat(other.get(() -> "another place")).isEqualTo("another place");
        assertThat(bytes()).isEqualTo(before);

        reopen();
        assertWrongUse(() -> value.get(() -> "no"), "closed");
        VolatileValue<String> next = pool.locks().volatileValue(object, 0);
        assertThat(next.get(() -> "made " + made.incrementAndGet())).isEqualTo("made 2");
    }

    @Test
    void allWhoAskGetTheOneThatWasMade() throws Exception {
        AtomicInteger made = new AtomicInteger();
        List<OtherThread<Object>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            VolatileValue<Object> value = pool.locks().volatileValue(object, 0);
            threads.add(
                    OtherThread.doing(
                            () ->
                                    value.get(
                                            () -> {
                                                made.incrementAndGet();
                                                Thread.yield();
                                                return new Object();
                                            })));
        }
        Object first = threads.get(0).result();
        for (OtherThread<Object> thread : threads) {
            assertThat(thread.result()).isSameAs(first);
        }
        assertThat(made.get()).isEqualTo(1);
    }

    @Test
    void aConstructorThatFailsLeavesItToTheNext() {
        VolatileValue<String> value = pool.locks().volatileValue(object, 0);

        assertThatThrownBy(
                        () ->
                                value.get(
                                        () -> {
                                            throw new IllegalStateException("no");
                                        }))
                .isInstanceOf(IllegalStateException.class);
        assertWrongUse(() -> value.get(() -> null), "can't be null");
        assertWrongUse(() -> value.get(() -> value.get(() -> "inner")), "its own constructor");
        assertThat(value.get(() -> "yes")).isEqualTo("yes");
    }

    @Test
    void aVolatileValueGoesWithItsObject() {
        VolatileValue<String> value = pool.locks().volatileValue(object, 0);
        assertThat(value.get(() -> "old")).isEqualTo("old");
        Ref gone = object;

        pool.transaction(tx -> tx.free(gone));

        assertWrongUse(() -> value.get(() -> "new"), "freed");
        for (int i = 0; i < 10_000 && (i == 0 || !object.equals(gone)); i++) {
            object = made();
        }
        assertThat(object).as("the space is used again").isEqualTo(gone);
        assertThat(pool.locks().<String>volatileValue(object, 0).get(() -> "new")).isEqualTo("new");
    }

    @Test
    void aPlaceThatIsSnapshottedKeepsItsLockOverARollBack() {
        mutex().lock();
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            MemorySegment all =
                                                    tx.snapshot(object, 0, OBJECT_BYTES);
                                            all.set(ValueLayout.JAVA_LONG, MUTEX, 1);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
        assertThat(mutex().isHeldByCurrentThread()).isTrue();
        mutex().unlock();
    }
}
