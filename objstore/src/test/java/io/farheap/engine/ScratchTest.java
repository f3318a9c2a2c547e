package io.farheap.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import net.openhft.chronicle.bytes.Bytes;
import org.junit.jupiter.api.Test;

class ScratchTest {
    private final ScratchPool pool = new ScratchPool();

    @Test
    void writtenBytesLieInTheSegmentFromItsStart() {
        Scratch scratch = pool.take();
        scratch.prepare(100);
        Bytes<?> bytes = scratch.forWriting();

        bytes.writeLong(42).writeUtf8("Ada");

        assertThat(scratch.written()).isEqualTo(8 + 1 + 3);
        assertThat(scratch.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(42);
    }

    @Test
    void whatWasCopiedInIsReadAndEndsWhereItEnds() {
        Scratch scratch = pool.take();
        scratch.prepare(8);
        scratch.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 99);
        Bytes<?> bytes = scratch.forReading();

        assertThat(bytes.readLong()).isEqualTo(99);
        assertThat(bytes.readRemaining()).isZero();
        assertThatThrownBy(() -> bytes.readLong(8)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void thereIsNoRoomBehindTheObject() {
        Scratch scratch = pool.take();
        scratch.prepare(12);
        Bytes<?> bytes = scratch.forWriting();
        bytes.writeLong(1);

        assertThatThrownBy(() -> bytes.writeLong(2)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> bytes.writeLong(8, 2)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> bytes.writeByte(-1, (byte) 2))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> bytes.write(new byte[100])).isInstanceOf(RuntimeException.class);
    }

    @Test
    void clearingDoesNotMakeRoom() {
        Scratch scratch = pool.take();
        scratch.prepare(12);
        Bytes<?> bytes = scratch.forWriting();
        bytes.clear();

        assertThatThrownBy(() -> bytes.write(new byte[13])).isInstanceOf(RuntimeException.class);
    }

    @Test
    void leakedBytesHaveNoRoom() {
        Scratch scratch = pool.take();
        scratch.prepare(64);
        Bytes<?> leaked = scratch.forWriting();
        leaked.writeLong(1);
        pool.put(scratch);

        assertThatThrownBy(() -> leaked.writeLong(2)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(leaked::readLong).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> leaked.readLong(0)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void growsForALargePayloadAndIsReused() {
        Scratch scratch = pool.take();
        scratch.prepare(3 << 20);
        scratch.forWriting().write(new byte[3 << 20]);
        assertThat(scratch.written()).isEqualTo(3 << 20);
        pool.put(scratch);

        assertThat(pool.take()).isSameAs(scratch);
        assertThat(scratch.segment().byteSize()).isLessThan(1 << 20);
    }

    @Test
    void nestedLambdasGetTheirOwn() {
        pool.put(new Scratch());
        assertThat(pool.take()).isNotSameAs(pool.take());
    }

    @Test
    void anyThreadMayUseItNext() throws InterruptedException {
        Scratch scratch = pool.take();
        scratch.prepare(8);
        scratch.forWriting().writeLong(1);
        pool.put(scratch);
        Throwable[] failure = new Throwable[1];
        Thread other =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        scratch.prepare(8);
                                        scratch.forWriting().writeLong(2);
                                    } catch (Throwable t) {
                                        failure[0] = t;
                                    }
                                });
        other.join();
        assertThat(failure[0]).isNull();
    }
}
