package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.AllocationOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.DefragmentationResult;
import io.farheap.pmemobj.ReferenceField;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefragmentationTest extends TransactionFixture {
    private static final int OBJECTS = 720;
    private static final long CHUNK = 1 << 18;

    /** Where the default class for 1000 bytes has a run of 240 units per chunk. */
    private static final long SIZE = 1000;

    /** Where objects have something at their end. */
    private static final long LAST = 952;

    private final List<ReferenceField> fields = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void objectsMoveTogetherAndKeepWhatIsInThem(long seed) {
        Map<Integer, Long> kept = scattered(SIZE, AllocationOptions.DEFAULT, seed, 4);
        Set<Long> before = runs();

        DefragmentationResult result = pool.heap().defragment(fields);

        assertThat(result.total()).isEqualTo(kept.size());
        assertThat(result.relocated()).isBetween((long) kept.size() / 5, (long) kept.size());
        assertTable(kept);
        assertThat(runs()).hasSizeLessThan(before.size());
        PoolState.assertHeapIsSound(machine.memory(), "seed " + seed);
        assertThat(pool.heap().defragment(fields))
                .as("again, seed %d", seed)
                .isEqualTo(new DefragmentationResult(kept.size(), 0));
    }

    @Test
    void whatItSaysIsThereAfterAPowerFailureToo() {
        Map<Integer, Long> kept = scattered(SIZE, AllocationOptions.DEFAULT, 5, 4);
        pool.heap().defragment(fields);

        pool = SimulatedPool.open(machine.crash(Loss.ALL, new Random(5)));

        assertTable(kept);
    }

    @Test
    void emptiedRunsGiveTheirChunksBack() {
        scattered(SIZE, AllocationOptions.DEFAULT, 6, 20);
        long most = 0;
        for (long chunks = 16; most == 0; chunks--) {
            most = fits(chunks) ? chunks : 0;
        }

        pool.heap().defragment(fields);

        assertThat(fits(most + 1)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"NONE, 0", "LEGACY, 0", "COMPACT, 512", "NONE, 512"})
    void objectsStayInTheirClass(HeaderType header, long alignment) {
        int id = pool.heap().newAllocationClass(1024, alignment, 200, header).id();
        long size = 1024L - header.bytes();
        Map<Integer, Long> kept = scattered(size, AllocationOptions.DEFAULT.inClass(id), 7, 4);

        assertThat(pool.heap().defragment(fields).relocated()).isGreaterThan(50);

        assertTable(kept);
        for (ReferenceField field : fields) {
            Ref object = pool.getRef(field.object(), field.offset());
            if (!object.isNull()) {
                assertThat(pool.usableSize(object)).isEqualTo(size);
                assertThat(pool.typeNumber(object)).isEqualTo(header == HeaderType.NONE ? 0 : TYPE);
                assertThat(alignment == 0 ? 0 : object.offset() % alignment).isZero();
            }
        }
    }

    @Test
    void fieldsInsideObjectsThatMoveAreFound() {
        scattered(SIZE, AllocationOptions.DEFAULT, 8, 5);
        List<Ref> nodes = new ArrayList<>(live());
        Collections.shuffle(nodes, new Random(8));
        pool.transaction(
                tx -> {
                    for (int i = 0; i < nodes.size(); i++) {
                        tx.setLong(nodes.get(i), 8, i);
                        tx.setRef(nodes.get(i), 16, nodes.get((i + 1) % nodes.size()));
                        tx.setRef(nodes.get(i), 32, nodes.get(i));
                    }
                });
        for (Ref node : nodes) {
            fields.add(new ReferenceField(node, 16));
            fields.add(new ReferenceField(node, 32));
        }
        Ref start = nodes.get(0);
        fields.add(new ReferenceField(pool.root(), 16L * OBJECTS));
        pool.setRef(pool.root(), 16L * OBJECTS, start);

        DefragmentationResult result = pool.heap().defragment(fields);

        assertThat(result.total()).isEqualTo(nodes.size());
        assertThat(result.relocated()).isGreaterThan(20);
        Ref node = pool.getRef(pool.root(), 16L * OBJECTS);
        for (int i = 0; i < nodes.size(); i++) {
            assertThat(pool.getLong(node, 8)).isEqualTo(i);
            assertThat(pool.getRef(node, 32)).isEqualTo(node);
            node = pool.getRef(node, 16);
        }
        assertThat(node).isEqualTo(pool.getRef(pool.root(), 16L * OBJECTS));
        assertThat(new HashSet<>(live())).hasSize(nodes.size()).contains(node);
    }

    @Test
    void rootHugeBlocksAndFullRunsStay() {
        Ref root = pool.root(64);
        Ref huge = pool.atomic().allocate(root, 16, CHUNK - 16, TYPE, o -> o.setLong(0, 1));
        pool.setRef(root, 0, root);

        assertThat(
                        pool.heap()
                                .defragment(
                                        List.of(
                                                new ReferenceField(root, 0),
                                                new ReferenceField(root, 16),
                                                new ReferenceField(root, 32))))
                .isEqualTo(new DefragmentationResult(2, 0));
        assertThat(pool.getRef(root, 16)).isEqualTo(huge);
        assertThat(pool.heap().defragment(List.of())).isEqualTo(new DefragmentationResult(0, 0));
    }

    @Test
    void anUnknownClassIsLeftAlone() {
        int id = pool.heap().newAllocationClass(1024, 0, 200, HeaderType.NONE).id();
        Map<Integer, Long> kept = scattered(1024, AllocationOptions.DEFAULT.inClass(id), 9, 4);
        reopen();

        assertThat(pool.heap().defragment(fields).relocated()).isZero();
        assertTable(kept);
        pool.heap().newAllocationClass(1024, 0, 200, HeaderType.NONE);
        assertThat(pool.heap().defragment(fields).relocated()).isPositive();
        assertTable(kept);
    }

    @Test
    void oneWrongFieldAndNothingMoves() {
        Map<Integer, Long> kept = scattered(SIZE, AllocationOptions.DEFAULT, 10, 4);
        List<Ref> before = live();
        Ref root = pool.root();
        Ref dead = pool.atomic().allocate(50, TYPE);
        pool.atomic().free(dead);
        long last = 16L * OBJECTS;

        pool.transaction(tx -> tx.setRef(tx.root(), last, dead));
        assertRefused(new ReferenceField(root, last), "does not lead to an object");
        pool.transaction(
                tx -> {
                    tx.setLong(tx.root(), last, 1);
                    tx.setLong(tx.root(), last + 8, before.get(0).offset());
                });
        assertRefused(new ReferenceField(root, last), "another pool");
        assertRefused(new ReferenceField(root, 12), "multiple of 8");
        assertRefused(new ReferenceField(root, pool.usableSize(root) - 8), "outside");
        assertRefused(new ReferenceField(dead, 0), "object");
        assertRefused(new ReferenceField(Ref.NULL, 0), "null");

        assertThat(live()).isEqualTo(before);
        assertTable(kept);
    }

    @Test
    void insideATransactionItIsIndependent() {
        Map<Integer, Long> kept = scattered(SIZE, AllocationOptions.DEFAULT, 11, 4);

        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(tx.allocate(10, TYPE), 0, 1);
                                            pool.heap().defragment(fields);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.heap().defragment(fields).relocated()).as("it was done").isZero();
        assertTable(kept);
    }

    private void assertRefused(ReferenceField wrong, String part) {
        List<ReferenceField> all = new ArrayList<>(fields);
        all.add(wrong);
        assertWrongUse(() -> pool.heap().defragment(all), part);
    }

    private boolean fits(long chunks) {
        try {
            pool.atomic().free(pool.atomic().allocate(chunks * CHUNK - 16, TYPE + 1));
            return true;
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.ENVIRONMENT);
            return false;
        }
    }

    /** Objects with a table of references in the root, of which one in {@code keep} stays. */
    private Map<Integer, Long> scattered(
            long size, AllocationOptions options, long seed, int keep) {
        Ref root = pool.root(16L * OBJECTS + 16);
        Random random = new Random(seed);
        for (int i = 0; i < OBJECTS; i++) {
            long value = random.nextLong();
            long field = 16L * i;
            pool.atomic()
                    .allocate(
                            root,
                            field,
                            size,
                            TYPE,
                            options,
                            object -> {
                                object.setLong(0, value);
                                object.setLong(LAST, ~value);
                            });
            fields.add(new ReferenceField(root, field));
        }
        Map<Integer, Long> kept = new HashMap<>();
        for (int i = 0; i < OBJECTS; i++) {
            // The first run keeps more, so that there is a fuller one.
            if (random.nextInt(i < 240 ? 2 : keep) == 0) {
                kept.put(i, pool.getLong(pool.getRef(root, 16L * i), 0));
            } else {
                pool.atomic().free(root, 16L * i);
            }
        }
        return kept;
    }

    private void assertTable(Map<Integer, Long> kept) {
        for (int i = 0; i < OBJECTS; i++) {
            Ref object = pool.getRef(pool.root(), 16L * i);
            assertThat(object.isNull()).isEqualTo(!kept.containsKey(i));
            if (!object.isNull()) {
                assertThat(pool.getLong(object, 0)).isEqualTo(kept.get(i));
                assertThat(pool.getLong(object, LAST)).isEqualTo(~kept.get(i));
            }
        }
        assertThat(live()).hasSameSizeAs(kept.entrySet());
    }

    private List<Ref> live() {
        return list(pool.objects());
    }

    private Set<Long> runs() {
        Set<Long> chunks = new HashSet<>();
        live().forEach(object -> chunks.add(object.offset() / CHUNK));
        return chunks;
    }
}
