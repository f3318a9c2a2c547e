package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.AllocationOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.AtomicObjects;
import io.farheap.pmemobj.NewObject;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Allocation without transactions: every call by itself, with libpmemobj's meaning at the edges.
 */
class AtomicObjectsTest extends TransactionFixture {
    private static final long FIELD = 32;

    private AtomicObjects atomic;
    private Ref root;

    @BeforeEach
    void makeRoot() {
        root = pool.root(256);
        atomic = pool.atomic();
    }

    private Ref field() {
        return pool.getRef(root, FIELD);
    }

    private ObjectPool afterPowerLoss() {
        return SimulatedPool.open(machine.crash(Loss.ALL, new Random(1)));
    }

    private long fencesOf(Runnable call) {
        long before = pool.counters().fences();
        call.run();
        return pool.counters().fences() - before;
    }

    @Test
    void anAllocationSetsItsDestination() {
        Ref made = atomic.allocateZeroed(root, FIELD, 100, TYPE);

        assertThat(field()).isEqualTo(made);
        assertThat(pool.typeNumber(made)).isEqualTo(TYPE);
        assertThat(pool.usableSize(made)).isGreaterThanOrEqualTo(100);
        assertThat(pool.readBytes(made, 0, (int) pool.usableSize(made))).containsOnly(0);
        ObjectPool recovered = afterPowerLoss();
        assertThat(recovered.getRef(root, FIELD)).isEqualTo(made);
        assertThat(recovered.readBytes(made, 0, 100)).containsOnly(0);
    }

    @Test
    void withoutADestinationOnlyIterationFindsIt() {
        Ref made = atomic.allocate(100, TYPE);
        Ref zeroed = atomic.allocateZeroed(100, TYPE + 1);

        assertThat(list(pool.objects())).containsExactlyInAnyOrder(made, zeroed);
        assertThat(list(afterPowerLoss().objects(TYPE))).containsExactly(made);
        atomic.free(made);
        atomic.free(zeroed);
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void aDestinationThatTheConstructorFreesIsNotWritten() {
        Ref holder = atomic.allocateZeroed(64, TYPE + 1);

        assertWrongUse(
                () -> atomic.allocate(holder, 0, 100, TYPE, object -> atomic.free(holder)),
                "no allocated object");

        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void theConstructorsContentIsThereWhenTheObjectIs() {
        Ref made =
                atomic.allocate(
                        root,
                        FIELD,
                        100,
                        TYPE,
                        object -> {
                            assertThat(field()).isEqualTo(Ref.NULL);
                            assertThat(list(pool.objects())).isEmpty();
                            assertThat(object.usableSize()).isGreaterThanOrEqualTo(100);
                            object.setLong(0, 1);
                            object.setInt(8, 2);
                            object.setShort(12, (short) 3);
                            object.setByte(14, (byte) 4);
                            object.setDouble(16, 5.5);
                            object.setRef(24, root);
                            object.setRef(40, object.ref());
                            object.writeBytes(56, new byte[] {6, 7});
                            object.fill(58, 6, (byte) 8);
                            object.write(64, bytes -> bytes.writeUtf8("Ada"));
                            object.update(80, 8, all -> all.set(ValueLayout.JAVA_LONG, 0, 9));
                        });

        ObjectPool recovered = afterPowerLoss();
        assertThat(recovered.getRef(root, FIELD)).isEqualTo(made);
        assertThat(recovered.getLong(made, 0)).isEqualTo(1);
        assertThat(recovered.getInt(made, 8)).isEqualTo(2);
        assertThat(recovered.getShort(made, 12)).isEqualTo((short) 3);
        assertThat(recovered.getByte(made, 14)).isEqualTo((byte) 4);
        assertThat(recovered.getDouble(made, 16)).isEqualTo(5.5);
        assertThat(recovered.getRef(made, 24)).isEqualTo(root);
        assertThat(recovered.getRef(made, 40)).isEqualTo(made);
        assertThat(recovered.readBytes(made, 56, 8)).containsExactly(6, 7, 8, 8, 8, 8, 8, 8);
        String name = recovered.read(made, 64, 16, bytes -> bytes.readUtf8());
        assertThat(name).isEqualTo("Ada");
        assertThat(recovered.getLong(made, 80)).isEqualTo(9);
    }

    @Test
    void aConstructorThatThrowsCancelsAndItsExceptionTravelsOn() {
        assertThatThrownBy(
                        () ->
                                atomic.allocate(
                                        root,
                                        FIELD,
                                        100,
                                        TYPE,
                                        object -> {
                                            throw new IllegalStateException("no content");
                                        }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no content");

        assertThat(field()).isEqualTo(Ref.NULL);
        assertThat(list(pool.objects())).isEmpty();
        Ref next = atomic.allocate(100, TYPE);
        assertThat(pool.objects()).containsExactly(next);
    }

    @Test
    void aNewObjectEndsWithItsConstructor() {
        NewObject[] kept = new NewObject[1];
        Ref unused = atomic.allocate(100, TYPE, object -> kept[0] = object);

        assertWrongUse(() -> kept[0].setLong(0, 1), "exists by now");
        assertWrongUse(() -> kept[0].ref(), "exists by now");
        assertWrongUse(
                () -> atomic.allocate(8, TYPE, object -> object.setLong(1000, 1)), "outside");
        assertWrongUse(
                () -> atomic.allocate(8, TYPE, object -> object.write(-8, bytes -> {})), "outside");
    }

    @Test
    void constructorsMayAllocate() {
        Ref outer =
                atomic.allocate(
                        root,
                        FIELD,
                        32,
                        TYPE,
                        AllocationOptions.ZEROED,
                        object -> {
                            Ref inner =
                                    atomic.allocate(16, TYPE + 1, second -> second.setLong(0, 7));
                            object.setRef(0, inner);
                            object.setRef(16, Ref.NULL);
                        });

        assertThat(pool.getLong(pool.getRef(outer, 0), 0)).isEqualTo(7);
        assertThat(pool.getRef(outer, 16)).isEqualTo(Ref.NULL);
    }

    @Test
    void whatCanNotBeAllocatedIsRefused() {
        assertWrongUse(() -> atomic.allocate(0, TYPE), "at least 1 byte");
        assertWrongUse(() -> atomic.allocate(-1, TYPE), "at least 1 byte");
        assertWrongUse(() -> atomic.allocate(0x3FFDFFFC1L, TYPE));
        assertThatThrownBy(() -> atomic.allocate(root, FIELD, SimulatedPool.SIZE, TYPE))
                .isInstanceOf(FarheapException.class)
                .extracting(e -> ((FarheapException) e).category())
                .isEqualTo(Category.ENVIRONMENT);
        assertThat(field()).isEqualTo(Ref.NULL);
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void destinationsAreChecked() {
        Ref other = new Ref(SimulatedPool.POOL_ID + 1, root.offset());
        Ref gone = atomic.allocate(64, TYPE);
        atomic.free(gone);

        assertWrongUse(() -> atomic.allocate(root, 500, 10, TYPE), "outside");
        assertWrongUse(() -> atomic.allocate(root, -16, 10, TYPE), "outside");
        assertWrongUse(() -> atomic.allocate(root, 4, 10, TYPE), "multiple of 8");
        assertWrongUse(() -> atomic.allocate(Ref.NULL, 0, 10, TYPE), "null");
        assertWrongUse(() -> atomic.allocate(other, 0, 10, TYPE), "pool");
        assertWrongUse(() -> atomic.allocate(gone, 0, 10, TYPE));
        assertWrongUse(() -> atomic.free(gone, 0));
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void aDestinationInAnotherPoolsTermsIsNotFollowed() {
        pool.transaction(
                tx -> {
                    tx.setLong(root, FIELD, SimulatedPool.POOL_ID + 1);
                    tx.setLong(root, FIELD + 8, root.offset());
                });

        assertWrongUse(() -> atomic.free(root, FIELD), "pool");
        assertWrongUse(() -> atomic.reallocate(root, FIELD, 10, TYPE), "pool");
    }

    @Test
    void aFreeClearsItsDestination() {
        Ref made = atomic.allocate(root, FIELD, 100, TYPE);
        atomic.free(root, FIELD);

        assertThat(pool.getLong(root, FIELD)).isZero();
        assertThat(pool.getLong(root, FIELD + 8)).isZero();
        assertThat(list(pool.objects())).isEmpty();
        assertWrongUse(() -> atomic.free(made));
    }

    @Test
    void freeingNothingDoesNothing() {
        long commits = pool.counters().commits();
        atomic.free(Ref.NULL);
        atomic.free(0);
        atomic.free(root, FIELD);

        assertThat(pool.counters().commits()).isEqualTo(commits);
        assertWrongUse(() -> atomic.free((Ref) null), "null");
        assertWrongUse(() -> atomic.free(root), "root");
        assertWrongUse(() -> atomic.free(root.offset() + 16));
    }

    @Test
    void movingKeepsTheContentAndTakesTheNewType() {
        Ref made = atomic.allocate(root, FIELD, 100, TYPE, object -> object.fill(0, 100, (byte) 5));
        Ref larger = atomic.reallocateZeroed(root, FIELD, 3000, TYPE + 1);

        assertThat(larger).isNotEqualTo(made);
        assertThat(field()).isEqualTo(larger);
        assertThat(pool.typeNumber(larger)).isEqualTo(TYPE + 1);
        assertThat(pool.readBytes(larger, 0, 100)).containsOnly(5);
        long old = 112;
        int fresh = (int) (pool.usableSize(larger) - old);
        assertThat(pool.readBytes(larger, old, fresh)).containsOnly(0);
        assertThat(list(pool.objects())).containsExactly(larger);
        Ref smaller = atomic.reallocate(root, FIELD, 50, TYPE);
        assertThat(pool.readBytes(smaller, 0, 50)).containsOnly(5);
        assertThat(pool.typeNumber(smaller)).isEqualTo(TYPE);
        assertThat(afterPowerLoss().readBytes(smaller, 0, 50)).containsOnly(5);
    }

    @Test
    void movingToTheSameUsableSizeIsNothing() {
        Ref made = atomic.allocate(root, FIELD, 100, TYPE);
        long commits = pool.counters().commits();

        assertThat(atomic.reallocate(root, FIELD, pool.usableSize(made), TYPE + 1)).isEqualTo(made);
        assertThat(pool.typeNumber(made)).isEqualTo(TYPE);
        assertThat(pool.counters().commits()).isEqualTo(commits);
        assertThat(atomic.reallocate(root, FIELD, 100, TYPE)).isNotEqualTo(made);
    }

    @Test
    void movingNothingAllocatesZeroesAndMovingToNothingFrees() {
        assertThat(atomic.reallocate(root, FIELD, 0, TYPE)).isEqualTo(Ref.NULL);
        Ref made = atomic.reallocate(root, FIELD, 64, TYPE);
        assertThat(field()).isEqualTo(made);
        assertThat(pool.readBytes(made, 0, 64)).containsOnly(0);
        assertThat(atomic.reallocate(root, FIELD, 0, TYPE)).isEqualTo(Ref.NULL);
        assertThat(field()).isEqualTo(Ref.NULL);
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void movingWithoutADestinationReturnsTheNewPlace() {
        Ref made = atomic.reallocate(Ref.NULL, 64, TYPE);
        assertThat(pool.readBytes(made, 0, 64)).containsOnly(0);
        pool.setLong(made, 0, 3);
        Ref moved = atomic.reallocateZeroed(made, 1000, TYPE);
        assertThat(pool.getLong(moved, 0)).isEqualTo(3);
        assertThat(pool.getLong(moved, 900)).isZero();
        assertThat(list(pool.objects())).containsExactly(moved);
        assertThat(atomic.reallocate(moved, 0, TYPE)).isEqualTo(Ref.NULL);
        assertThat(list(pool.objects())).isEmpty();
        assertWrongUse(() -> atomic.reallocate(moved, 10, TYPE));
        assertWrongUse(() -> atomic.reallocate(root, 1000, TYPE), "root");
    }

    @Test
    void stringsAreCStrings() {
        Ref narrow = atomic.duplicate(root, FIELD, "Grüße", TYPE);
        byte[] utf8 = "Grüße\0".getBytes(StandardCharsets.UTF_8);
        assertThat(field()).isEqualTo(narrow);
        assertThat(pool.readBytes(narrow, 0, utf8.length)).isEqualTo(utf8);
        Ref wide = atomic.duplicateWide("a\uD83D\uDE00", TYPE + 1);
        byte[] utf32 = "a\uD83D\uDE00\0".getBytes(Charset.forName("UTF-32LE"));
        assertThat(utf32).hasSize(12);
        assertThat(pool.readBytes(wide, 0, 12)).isEqualTo(utf32);
        assertThat(pool.typeNumber(wide)).isEqualTo(TYPE + 1);
        Ref empty = atomic.duplicate("", TYPE);
        assertThat(pool.getByte(empty, 0)).isZero();
        Ref second = atomic.duplicateWide(root, FIELD, "", TYPE);
        assertThat(field()).isEqualTo(second);
        assertWrongUse(() -> atomic.duplicate(null, TYPE), "null");
        assertWrongUse(() -> atomic.duplicateWide(null, TYPE), "null");
        assertWrongUse(() -> atomic.duplicate("a\0b", TYPE), "index 1");
    }

    @Test
    void optionsSayHow() {
        Ref zeroed = atomic.allocate(100, TYPE, AllocationOptions.DEFAULT.withZeroes());
        assertThat(pool.readBytes(zeroed, 0, 100)).containsOnly(0);
        Ref filled =
                atomic.allocate(
                        100, TYPE, AllocationOptions.ZEROED, object -> object.fill(8, 8, (byte) 1));
        assertThat(pool.getLong(filled, 8)).isEqualTo(0x0101010101010101L);
        assertThat(pool.getLong(filled, 16)).isZero();
        assertWrongUse(() -> atomic.allocate(10, TYPE, AllocationOptions.DEFAULT.inClass(200)));
        assertWrongUse(() -> atomic.allocate(10, TYPE, AllocationOptions.DEFAULT.inArena(1000)));
    }

    @Test
    void contentThatIsNotFlushedMayBeLostTheObjectIsNot() {
        AllocationOptions options = AllocationOptions.DEFAULT.withoutFlush();
        Ref first = atomic.allocate(512, TYPE, object -> object.fill(0, 512, (byte) 1));
        atomic.free(first);
        long flushes = pool.counters().flushes();
        Ref lost = atomic.allocate(512, TYPE, options, object -> object.fill(0, 512, (byte) 2));

        assertThat(pool.counters().flushes() - flushes).as("header and bitmap word").isEqualTo(2);
        assertThat(pool.readBytes(lost, 0, 512)).containsOnly(2);
        ObjectPool recovered = afterPowerLoss();
        assertThat(recovered.typeNumber(lost)).isEqualTo(TYPE);
        assertThat(recovered.readBytes(lost, 64, 448)).doesNotContain(2);
    }

    @Test
    void insideATransactionItIsIndependent() {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            Ref own = tx.allocate(64, TYPE);
                                            tx.setLong(own, 0, 1);
                                            Ref made = atomic.allocateZeroed(root, FIELD, 64, TYPE);
                                            assertThat(afterPowerLoss().getRef(root, FIELD))
                                                    .isEqualTo(made);
                                            assertThat(tx.getRef(root, FIELD)).isEqualTo(made);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(list(pool.objects())).containsExactly(field());
    }

    @Test
    void whatTheTransactionUnderWayChangedIsLeftToIt() {
        Ref made = atomic.allocateZeroed(root, FIELD, 64, TYPE);
        pool.transaction(
                tx -> {
                    tx.snapshot(root, FIELD, 16);
                    tx.setLong(made, 0, 1);
                    Ref own = tx.allocate(64, TYPE);
                    assertWrongUse(() -> atomic.free(root, FIELD), "transaction under way");
                    assertWrongUse(
                            () -> atomic.allocate(root, FIELD + 8, 10, TYPE), "transaction under");
                    assertWrongUse(() -> atomic.free(made), "transaction under way");
                    assertWrongUse(() -> atomic.free(own));
                    tx.free(own);
                });
        assertThat(list(pool.objects())).containsExactly(made);
        pool.transaction(
                tx -> {
                    tx.free(made);
                    assertWrongUse(() -> atomic.free(made));
                    assertWrongUse(() -> atomic.allocate(made, 0, 10, TYPE));
                });
    }

    @Test
    void fencesAreLibpmemobjs() {
        Ref unused = atomic.allocate(64, TYPE);
        assertThat(fencesOf(() -> atomic.allocate(64, TYPE))).as("allocate").isEqualTo(2);
        assertThat(fencesOf(() -> atomic.allocate(root, FIELD, 64, TYPE)))
                .as("allocate and set")
                .isEqualTo(4);
        assertThat(fencesOf(() -> atomic.reallocate(root, FIELD, 70, TYPE)))
                .as("move")
                .isEqualTo(4);
        assertThat(fencesOf(() -> atomic.free(root, FIELD))).as("free and clear").isEqualTo(3);
        Ref last = atomic.allocate(64, TYPE);
        assertThat(fencesOf(() -> atomic.free(last))).as("free").isEqualTo(1);
    }

    @Test
    void aReplicaGetsOneRecordPerCall() {
        RecordingSink sink = new RecordingSink();
        try (ObjectPool sending = SimulatedPool.open(SimulatedPool.formatted(), sink)) {
            Ref holder = sending.root(256);
            Ref first = sending.atomic().allocateZeroed(64, TYPE);
            int before = sink.records.size();
            Ref made =
                    sending.atomic()
                            .allocate(
                                    holder,
                                    FIELD,
                                    64,
                                    TYPE,
                                    object -> object.fill(0, 64, (byte) 6));
            assertThat(sink.records).hasSize(before + 1);
            Ref moved = sending.atomic().reallocateZeroed(holder, FIELD, 300, TYPE);
            sending.atomic().free(first);
            assertThat(moved).isNotEqualTo(made);

            ObjectPool promoted =
                    SimulatedPool.open(
                            sink.replica(
                                    SimulatedPool.formatted().memory().image(),
                                    sink.records.size()));
            assertThat(promoted.getLong(moved, 8)).isEqualTo(0x0606060606060606L);
            assertThat(PoolState.of(promoted)).isEqualTo(PoolState.of(sending));
        }
    }
}
