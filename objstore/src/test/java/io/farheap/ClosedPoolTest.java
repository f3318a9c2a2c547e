package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObject;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolLimits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done to a pool that another thread closes, or has closed. */
class ClosedPoolTest {
    private static final long TYPE = 7;
    private static final int ROUNDS = Boolean.getBoolean("test.deep") ? 20 : 5;

    @TempDir private Path directory;
    private Path file;
    private ObjectPool pool;
    private Ref root;

    @BeforeEach
    void createPool() {
        file = directory.resolve("pool");
        pool = ObjectPool.at(file).layout("a").size(PoolLimits.MIN_POOL_BYTES).create();
        root = pool.root(4096);
        Ref unused = pool.atomic().allocate(64, TYPE);
    }

    private void assertClosed(Throwable thrown) {
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e ->
                                assertThat(e.category())
                                        .isEqualTo(FarheapException.Category.WRONG_USE))
                .hasMessageContaining("Pool " + file + " is closed");
    }

    @Test
    void whatWasBegunBeforeEndsInOurException() {
        Iterable<Ref> objects = pool.objects();
        Iterator<Ref> half = pool.objects().iterator();
        Actions actions = pool.actions();
        NewObject fresh = actions.reserve(64, TYPE);
        ObjectList list = pool.list(root, 0, 0);
        pool.close();

        assertClosed(catchThrowable(() -> objects.iterator().next()));
        assertClosed(catchThrowable(() -> half.next()));
        assertClosed(catchThrowable(() -> fresh.setLong(0, 1)));
        assertClosed(catchThrowable(() -> fresh.update(0, 8, segment -> {})));
        assertClosed(catchThrowable(() -> fresh.write(0, bytes -> bytes.writeLong(1))));
        assertClosed(catchThrowable(() -> actions.reserve(64, TYPE)));
        assertClosed(catchThrowable(list::first));
        assertClosed(catchThrowable(() -> list.insertNewLast(64, TYPE, object -> {})));
        assertClosed(catchThrowable(() -> pool.memory().flush(root, 0, 8)));
        assertClosed(catchThrowable(() -> pool.memory().drain()));
        assertClosed(catchThrowable(() -> pool.getLong(root, 0)));
        assertClosed(catchThrowable(() -> pool.heap().setGranularity(2 << 20)));
        actions.close();
    }

    /** A segment that outlives the pool's own would be a store into nothing: the JVM's end. */
    @Test
    void aNewObjectThatIsChangedKeepsThePoolOpen() throws Exception {
        NewObject fresh = pool.actions().reserve(64, TYPE);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        OtherThread<Void> changing =
                OtherThread.running(
                        () ->
                                fresh.update(
                                        0,
                                        64,
                                        segment -> {
                                            inside.countDown();
                                            await(closing);
                                            segment.fill((byte) 1);
                                        }));
        await(inside);
        OtherThread<Void> close = OtherThread.running(pool::close);
        close.untilItWaits();
        assertThat(close.isDone()).isFalse();
        closing.countDown();

        changing.result();
        close.result();
        assertClosed(catchThrowable(fresh::usableSize));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void itIsNotClosedByOneWhoChangesANewObject() {
        NewObject fresh = pool.actions().reserve(64, TYPE);

        assertThatThrownBy(() -> fresh.update(0, 8, segment -> pool.close()))
                .hasMessageContaining("inside a transaction or operation");

        fresh.update(0, 8, segment -> segment.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 1));
        pool.close();
    }

    /** The JDK does not take memory away from a system call: close has to wait for that. */
    @Test
    void aSegmentOnItsWayIntoAChannelIsWaitedFor() throws Exception {
        Ref large = pool.atomic().allocate(1 << 20, TYPE);
        ByteBuffer view = pool.segment(large).asByteBuffer();
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            OtherThread<Integer> writing = OtherThread.doing(() -> sink.write(view));
            ByteBuffer read = ByteBuffer.allocate(1 << 16);
            int received = source.read(read);
            OtherThread<Void> close = OtherThread.running(pool::close);
            close.untilItWaits();
            assertThat(close.isDone()).isFalse();
            OtherThread<Void> second = OtherThread.running(pool::close);
            second.untilItWaits();
            while (received < view.capacity()) {
                received += source.read(read.clear());
            }

            assertThat(writing.result()).isEqualTo(view.capacity());
            close.result();
            second.result();
        }
        ObjectPool.open(file, "a").close();
    }

    @Test
    @Tag("sliced")
    void othersAtWorkAreToldAndNothingCrashes() throws Exception {
        pool.close();
        for (int round = 0; round < ROUNDS; round++) {
            ObjectPool open = ObjectPool.open(file, "a");
            List<OtherThread<Throwable>> others = new ArrayList<>();
            CountDownLatch atWork = new CountDownLatch(uses().size());
            for (Consumer<ObjectPool> use : uses()) {
                others.add(OtherThread.doing(() -> untilItFails(open, use, atWork)));
            }
            await(atWork);
            open.close();
            for (OtherThread<Throwable> other : others) {
                assertClosed(other.result());
            }
        }
        try (ObjectPool open = ObjectPool.open(file, "a")) {
            assertThat(open.check().inconsistencies()).isEmpty();
        }
    }

    private static Throwable untilItFails(
            ObjectPool open, Consumer<ObjectPool> use, CountDownLatch atWork) {
        use.accept(open);
        atWork.countDown();
        while (true) {
            try {
                use.accept(open);
            } catch (Throwable end) {
                return end;
            }
        }
    }

    private static List<Consumer<ObjectPool>> uses() {
        MemorySegment buffer = MemorySegment.ofArray(new byte[4096]);
        return List.of(
                open -> {
                    for (int i = 0; i < 512; i++) {
                        long unused = open.getLong(open.root(), 8L * i);
                    }
                },
                open -> {
                    byte[] unused = open.readBytes(open.root(), 0, 4096);
                },
                open -> open.objects().forEach(open::usableSize),
                open -> open.memory().persist(open.root(), 0, 4096),
                open -> open.memory().copy(buffer, 0, open.root(), 0, 4096),
                open -> {
                    try (Actions actions = open.actions()) {
                        NewObject fresh = actions.reserve(1000, TYPE);
                        fresh.fill(0, 1000, (byte) 1);
                        fresh.update(0, 1000, segment -> segment.fill((byte) 2));
                    }
                });
    }
}
