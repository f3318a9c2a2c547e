package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolMutex;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists in libpmemobj's layout. */
class ObjectListTest extends TransactionFixture {
    private static final long ENTRY = 16;
    private static final long OTHER_ENTRY = 48;
    private static final long NEXT = ENTRY + 8;
    private static final long PREVIOUS = ENTRY + 24;

    private Ref heads;
    private ObjectList list;

    @BeforeEach
    void emptyLists() {
        heads = pool.compute(tx -> tx.allocateZeroed(400, TYPE));
        use();
    }

    private void use() {
        list = pool.list(heads, 0, ENTRY);
    }

    private ObjectList another() {
        return pool.list(heads, 80, ENTRY);
    }

    private Ref element(long name) {
        return pool.compute(
                tx -> {
                    Ref made = tx.allocateZeroed(100, TYPE + 1);
                    tx.setLong(made, 0, name);
                    return made;
                });
    }

    private List<Ref> filled(int count) {
        List<Ref> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(element(i));
            list.insertLast(elements.get(i));
        }
        return elements;
    }

    private void assertHolds(ObjectList actual, Ref... expected) {
        List<Ref> forward = List.of(expected);
        List<Ref> backward = new ArrayList<>();
        forward.forEach(element -> backward.add(0, element));
        assertThat(list(actual)).isEqualTo(forward);
        assertThat(list(actual.reversed())).isEqualTo(backward);
        assertThat(actual.isEmpty()).isEqualTo(forward.isEmpty());
        assertThat(actual.first()).isEqualTo(forward.isEmpty() ? Ref.NULL : forward.get(0));
        assertThat(actual.last()).isEqualTo(forward.isEmpty() ? Ref.NULL : backward.get(0));
        for (int i = 0; i < expected.length; i++) {
            Ref next = i + 1 < expected.length ? expected[i + 1] : Ref.NULL;
            assertThat(actual.next(expected[i])).isEqualTo(next);
            assertThat(actual.previous(expected[i])).isEqualTo(i == 0 ? Ref.NULL : expected[i - 1]);
        }
    }

    // ---- the layout ----

    @Test
    void theOnlyElementLeadsToItself() {
        Ref only = element(1);

        list.insertFirst(only);

        assertThat(pool.getRef(heads, 0)).isEqualTo(only);
        assertThat(pool.getRef(only, ENTRY)).isEqualTo(only);
        assertThat(pool.getRef(only, ENTRY + 16)).isEqualTo(only);
        list.remove(only);
        assertThat(pool.getLong(heads, 8)).isZero();
        assertThat(pool.getLong(heads, 0)).as("the pool id stays").isEqualTo(pool.poolId());
        assertThat(pool.getLong(only, NEXT)).isZero();
        assertThat(pool.getLong(only, PREVIOUS)).isZero();
        assertThat(pool.getLong(only, ENTRY)).as("the pool id stays").isEqualTo(pool.poolId());
    }

    @Test
    void theMutexOfTheHeadIsNotTouched() {
        pool.update(heads, 16, 64, mutex -> mutex.fill((byte) 9));

        filled(3);

        assertThat(pool.readBytes(heads, 16, 64)).containsOnly(9);
    }

    // ---- operations ----

    @Test
    void insertsEverywhere() {
        Ref a = element(1);
        Ref b = element(2);
        Ref c = element(3);
        Ref d = element(4);
        Ref e = element(5);
        assertHolds(list);

        list.insertLast(c);
        assertHolds(list, c);
        list.insertFirst(a);
        assertHolds(list, a, c);
        list.insertBefore(c, b);
        assertHolds(list, a, b, c);
        list.insertAfter(c, e);
        assertHolds(list, a, b, c, e);
        list.insertAfter(c, d);
        assertHolds(list, a, b, c, d, e);
        Ref f = list.insertNewBefore(a, 100, TYPE, object -> object.setLong(0, 6));
        assertHolds(list, f, a, b, c, d, e);
        assertThat(pool.getLong(f, 0)).isEqualTo(6);
        Ref g = list.insertNewAfter(e, 100, TYPE, object -> {});
        assertHolds(list, f, a, b, c, d, e, g);
        reopen();
        use();
        assertHolds(list, f, a, b, c, d, e, g);
    }

    @Test
    void removesAndFrees() {
        List<Ref> all = filled(4);

        list.removeAndFree(all.get(0));
        assertHolds(list, all.get(1), all.get(2), all.get(3));
        list.remove(all.get(2));
        list.removeAndFree(all.get(3));
        assertHolds(list, all.get(1));
        list.removeAndFree(all.get(1));
        assertHolds(list);

        assertThat(list(pool.objects(TYPE + 1))).containsExactly(all.get(2));
    }

    @Test
    void movesInsideAndBetweenLists() {
        List<Ref> all = filled(4);
        Ref a = all.get(0);
        Ref b = all.get(1);
        Ref c = all.get(2);
        Ref d = all.get(3);

        list.moveAfter(b, list, a);
        assertHolds(list, b, a, c, d);
        list.moveBefore(b, list, a);
        assertHolds(list, a, b, c, d);
        list.moveBefore(a, list, d);
        assertHolds(list, d, a, b, c);
        list.moveLast(list, d);
        list.moveFirst(list, c);
        assertHolds(list, c, a, b, d);
        list.moveAfter(a, list, a);
        list.moveFirst(list, c);
        list.moveLast(list, d);
        assertHolds(list, c, a, b, d);

        another().moveFirst(list, a);
        another().moveBefore(a, list, c);
        another().moveAfter(c, list, d);
        assertHolds(list, b);
        assertHolds(another(), c, d, a);
        another().moveLast(list, b);
        assertHolds(list);
        assertHolds(another(), c, d, a, b);
    }

    @Test
    void movesBetweenEntries() {
        List<Ref> all = filled(2);
        ObjectList other = pool.list(heads, 160, OTHER_ENTRY);

        other.moveFirst(list, all.get(1));
        assertHolds(list, all.get(0));
        assertHolds(other, all.get(1));
        other.moveFirst(list, all.get(0));
        assertHolds(list);
        assertHolds(other, all.get(0), all.get(1));
        assertWrongUse(() -> list.remove(all.get(0)), "is not in the list");
        list.moveLast(other, all.get(1));
        list.insertFirst(all.get(0));
        assertHolds(list, all.get(0), all.get(1));
        assertHolds(other, all.get(0));
    }

    @Test
    void whatWasNeverZeroedCanBeInserted() {
        Ref dirty =
                pool.compute(
                        tx -> {
                            Ref made = tx.allocate(100, TYPE);
                            tx.setRef(made, ENTRY, made);
                            tx.setRef(made, ENTRY + 16, heads);
                            return made;
                        });

        list.insertFirst(dirty);

        assertHolds(list, dirty);
    }

    @Test
    void iteratingAndRemovingGoTogether() {
        List<Ref> all = filled(5);
        Iterator<Ref> elements = list.iterator();
        assertThatThrownBy(elements::remove).isInstanceOf(IllegalStateException.class);
        assertThat(elements.next()).isEqualTo(all.get(0));
        elements.remove();
        assertThatThrownBy(elements::remove).isInstanceOf(IllegalStateException.class);
        list.removeAndFree(all.get(3));

        List<Ref> rest = new ArrayList<>();
        elements.forEachRemaining(rest::add);

        assertThat(rest).isEqualTo(all.subList(1, 5));
        assertThatThrownBy(elements::next).isInstanceOf(NoSuchElementException.class);
        assertHolds(list, all.get(1), all.get(2), all.get(4));
    }

    @Test
    void anOperationIsDurableAlsoWhenTheTransactionAroundItIsNot() {
        Ref a = element(1);
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(a, 0, 2);
                                            list.insertFirst(a);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertHolds(list, a);
        assertThat(pool.getLong(a, 0)).isEqualTo(1);
    }

    // ---- the head's mutex ----

    @Test
    void aChangeWaitsForTheHeadsMutexAndReadingNeedsItOnce() throws Exception {
        List<Ref> all = filled(2);
        PoolMutex mutex = pool.locks().mutex(heads, ObjectList.MUTEX_OFFSET);
        mutex.lock();
        OtherThread<Void> other = OtherThread.running(() -> list.remove(all.get(0)));
        other.untilItWaits();

        assertHolds(list, all.get(0), all.get(1));
        assertWrongUse(() -> list.remove(all.get(0)), "wait for itself");
        mutex.unlock();

        other.result();
        assertHolds(list, all.get(1));
    }

    @Test
    void threadsMoveElementsBothWaysAndNoneIsLost() throws Exception {
        List<Ref> all = filled(20);
        ObjectList source = list;
        BiConsumer<ObjectList, ObjectList> moving =
                (from, to) -> {
                    for (int i = 0; i < 200; i++) {
                        Ref first = from.first();
                        try {
                            if (!first.isNull()) {
                                to.moveLast(from, first);
                            }
                        } catch (FarheapException e) {
                            // the other thread was faster: it may be in the other list by now
                            assertThat(e.category()).isEqualTo(Category.WRONG_USE);
                        }
                    }
                };
        OtherThread<Void> there = OtherThread.running(() -> moving.accept(source, another()));
        OtherThread<Void> back = OtherThread.running(() -> moving.accept(source, another()));
        there.result();
        back.result();
        OtherThread<Void> again = OtherThread.running(() -> moving.accept(another(), source));
        OtherThread<Void> inside = OtherThread.running(() -> moving.accept(source, source));
        again.result();
        inside.result();

        List<Ref> found = list(list);
        found.addAll(list(another()));
        assertThat(found).containsExactlyInAnyOrderElementsOf(all);
        assertThat(list(list.reversed())).hasSameSizeAs(list(list));
    }

    // ---- wrong use and damage ----

    @Test
    void theFirstOfOneListDoesNotMoveThroughTheHeadOfTheOther() {
        List<Ref> all = filled(5);
        another().moveLast(list, all.get(0));
        another().moveLast(list, all.get(1));

        // what a thread does that read the first element before another one moved it
        assertWrongUse(() -> another().moveLast(list, all.get(0)), "is not in the list");
        assertWrongUse(
                () -> another().moveBefore(all.get(2), list, all.get(3)), "is not in the list");

        assertHolds(list, all.get(2), all.get(3), all.get(4));
        assertHolds(another(), all.get(0), all.get(1));
    }

    @Test
    void anElementThatAnotherThreadMovedAlreadyMovesInsideItsListWholly() {
        List<Ref> all = filled(5);
        for (Ref element : all.subList(0, 3)) {
            another().moveLast(list, element);
        }
        Ref a = all.get(0);
        Ref b = all.get(1);
        Ref c = all.get(2);

        // what threads do that read the first element before another one moved it
        another().moveLast(list, c);
        assertHolds(another(), a, b, c);
        another().moveLast(list, b);
        assertHolds(another(), a, c, b);
        another().moveFirst(list, b);
        assertHolds(another(), b, a, c);
        another().moveBefore(b, list, c);
        assertHolds(another(), c, b, a);
        another().moveAfter(b, list, a);
        assertHolds(another(), c, b, a);
        another().moveAfter(c, list, a);
        assertHolds(another(), c, a, b);
        another().moveBefore(b, list, a);
        assertHolds(another(), c, a, b);
        assertHolds(list, all.get(3), all.get(4));
    }

    @Test
    void anElementIsNotInOneListTwiceThroughItsOtherEntry() {
        List<Ref> all = filled(2);
        ObjectList elsewhere = pool.list(heads, 160, OTHER_ENTRY);
        elsewhere.insertLast(all.get(0));
        elsewhere.insertLast(all.get(1));

        assertWrongUse(() -> elsewhere.moveLast(list, all.get(0)), "is in a list already");
        assertWrongUse(() -> elsewhere.moveFirst(list, all.get(1)), "is in a list already");

        assertHolds(list, all.get(0), all.get(1));
        assertHolds(elsewhere, all.get(0), all.get(1));
    }

    @Test
    void refusesWhatCanNotBe() {
        List<Ref> all = filled(2);
        Ref loose = element(7);
        Ref small = pool.compute(tx -> tx.allocateZeroed(8, TYPE));
        Ref unlinked = element(9);
        Ref gone = element(8);
        pool.transaction(tx -> tx.free(gone));
        ObjectList tooFar = pool.list(heads, 160, pool.usableSize(small));

        assertWrongUse(() -> list.insertFirst(all.get(0)), "is in a list already");
        assertWrongUse(() -> another().insertFirst(all.get(0)), "is in a list already");
        assertWrongUse(() -> list.remove(loose), "is not in the list");
        assertWrongUse(() -> another().remove(all.get(1)), "is not in the list");
        assertWrongUse(() -> list.insertBefore(loose, unlinked), "is not in the list");
        assertWrongUse(() -> list.next(loose), "is not in the list");
        assertWrongUse(() -> list.insertFirst(gone), "freed");
        assertWrongUse(() -> list.insertFirst(Ref.NULL), "null");
        assertWrongUse(() -> list.insertFirst(new Ref(1, loose.offset())), "pool");
        assertWrongUse(() -> tooFar.insertFirst(small), "outside");
        assertWrongUse(() -> tooFar.insertNewFirst(8, TYPE, object -> {}), "outside");
        assertWrongUse(() -> pool.list(heads, 4, ENTRY), "multiples of 8");
        assertWrongUse(() -> pool.list(heads, 0, 4), "multiples of 8");
        assertWrongUse(() -> pool.list(heads, 0, -8), "multiples of 8");
        assertWrongUse(() -> pool.list(heads, 400, ENTRY), "outside");
        assertWrongUse(
                () -> pool.list(heads, 0, OTHER_ENTRY).moveFirst(list, all.get(0)), "one head");
        assertHolds(list, all.get(0), all.get(1));
        assertThat(list(pool.objects(TYPE))).as("nothing new").hasSize(2);
    }

    @Test
    void saysWhereAListIsDamaged() {
        List<Ref> all = filled(3);

        pool.setLong(all.get(1), NEXT, all.get(1).offset() + 8);
        assertDamaged(() -> list(list), "head at 0x" + Long.toHexString(heads.offset()));
        pool.setLong(all.get(1), NEXT, all.get(0).offset());
        assertDamaged(() -> list(list), "disagree");
        pool.setLong(heads, 8, 8);
        assertDamaged(() -> list.first(), "the head link");
        assertDamaged(() -> list.insertFirst(element(1)), "leads to 0x8, where no element is");
    }

    private static void assertDamaged(Runnable call, String part) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA))
                .hasMessageContaining(part);
    }

    // ---- against a model ----

    @ParameterizedTest
    @ValueSource(longs = {1, 20261121})
    void randomOperationsDoWhatAModelDoesAlsoOnAReplica(long seed) {
        pool.close();
        RecordingSink sink = new RecordingSink();
        pool = SimulatedPool.open(machine, sink);
        CrashSimulation replicaBase = new CrashSimulation(copy());
        ListModel model = new ListModel(pool, heads, new Random(seed));
        for (int round = 0; round < 600; round++) {
            model.step();
            if (round % 20 == 0) {
                model.check(pool, "round " + round + ", seed " + seed);
            }
        }

        model.check(pool, "at the end, seed " + seed);
        pool.close();
        CrashSimulation replica = sink.replica(replicaBase.memory().image(), sink.records.size());
        pool = SimulatedPool.open(replica, new RecordingSink());
        model.check(pool, "on the replica, seed " + seed);
        PoolState.assertHeapIsSound(replica.memory(), "on the replica, seed " + seed);
    }

    private MemorySegment copy() {
        MemorySegment image = machine.memory().image();
        return Arena.ofAuto().allocate(image.byteSize(), 8).copyFrom(image);
    }

    @Test
    void theHeadsObjectIsNoElementWhereItsEntryWouldBeInTheHead() {
        Ref both = pool.atomic().allocateZeroed(512, TYPE);
        for (long entry : new long[] {128, 128 + 72, 128 - 24}) {
            ObjectList overlapping = pool.list(both, 128, entry);

            assertThatThrownBy(() -> overlapping.insertFirst(both))
                    .as("entry at %d", entry)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("holds the list's head");

            assertThat(overlapping.isEmpty()).isTrue();
        }
        for (long entry : new long[] {128 - 32, 128 + 80}) {
            ObjectList apart = pool.list(both, 128, entry);
            apart.insertFirst(both);
            assertThat(apart).containsExactly(both);
            apart.remove(both);
        }
    }

    @Test
    void nothingMovesBetweenEntriesThatOverlap() {
        Ref heads = pool.atomic().allocateZeroed(512, TYPE);
        Ref element = pool.atomic().allocateZeroed(512, TYPE);
        ObjectList from = pool.list(heads, 0, 64);
        ObjectList to = pool.list(heads, 128, 64 + 24);
        from.insertFirst(element);

        assertThatThrownBy(() -> to.moveFirst(from, element))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("overlap");

        assertThat(from).containsExactly(element);
        assertThat(to).isEmpty();
    }
}
