package io.farheap.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Inconsistency;
import io.farheap.base.ListAt;
import io.farheap.base.Ref;
import io.farheap.base.Structure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists with one word wrong each. The links are set one by one here, by the layout alone. */
class ListCheckTest {
    private static final long HEAD = 40;
    private static final long ENTRY = 24;
    private static final ListAt LIST = ListAt.inRoot(HEAD, ENTRY);
    private static final int ELEMENTS = 5;

    @TempDir private Path directory;
    private ObjectPool pool;
    private Ref root;
    private final List<Ref> elements = new ArrayList<>();

    @BeforeEach
    void aList() {
        pool = ObjectPool.at(directory.resolve("a.pool")).layout("lists").size(8 << 20).create();
        root = pool.root(200);
        pool.transaction(
                tx -> {
                    for (int i = 0; i < ELEMENTS; i++) {
                        elements.add(tx.allocateZeroed(80 + 100 * i, 1));
                    }
                });
        for (int i = 0; i < ELEMENTS; i++) {
            pool.setRef(elements.get(i), ENTRY, elements.get((i + 1) % ELEMENTS));
            pool.setRef(elements.get((i + 1) % ELEMENTS), ENTRY + 16, elements.get(i));
        }
        pool.setRef(root, HEAD, elements.get(0));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void aSoundListIsConsistentOpenAndClosed() {
        assertThat(pool.check(LIST).inconsistencies()).isEmpty();
        assertThat(pool.check(new ListAt(root, HEAD, ENTRY)).inconsistencies()).isEmpty();
        pool.close();
        assertThat(ObjectPool.check(directory.resolve("a.pool"), LIST).inconsistencies()).isEmpty();
    }

    @Test
    void anEmptyListAndOneOfOneElementAreConsistent() {
        pool.setRef(root, HEAD, elements.get(3));
        pool.setRef(elements.get(3), ENTRY, elements.get(3));
        pool.setRef(elements.get(3), ENTRY + 16, elements.get(3));
        assertThat(pool.check(LIST).inconsistencies()).isEmpty();

        // An empty head may keep the pool id, whatever it is.
        pool.setLong(root, HEAD + 8, 0);
        assertThat(pool.check(LIST).inconsistencies()).isEmpty();
    }

    @Test
    void aRingThatLeavesAnElementOutIsFound() {
        pool.setRef(elements.get(1), ENTRY, elements.get(3));

        found(elements.get(3).offset() + ENTRY + 16, "is the next of");
    }

    @Test
    void aRingThatDoesNotComeBackToItsHeadIsFound() {
        pool.setRef(elements.get(4), ENTRY, elements.get(2));

        found(elements.get(2).offset() + ENTRY + 16, "is the next of");
    }

    @Test
    void aFreedElementIsFound() {
        Ref freed = elements.get(2);
        pool.transaction(tx -> tx.free(freed));

        found(elements.get(1).offset() + ENTRY, "no allocated object starts at " + freed.offset());
    }

    @Test
    void aLinkIntoAnotherPoolIsFound() {
        pool.setLong(elements.get(2), ENTRY, 99);

        found(elements.get(2).offset() + ENTRY, "leads into pool 0000000000000063");
    }

    @Test
    void aLinkIntoTheMiddleOfAnObjectAndToTheRootAreFound() {
        pool.setLong(root, HEAD + 8, elements.get(0).offset() + 16);
        found(root.offset() + HEAD, "no allocated object starts at");

        pool.setLong(root, HEAD + 8, root.offset());
        found(root.offset() + HEAD, "no allocated object starts at");
    }

    @Test
    void anElementWithoutRoomIsFound() {
        assertThat(pool.check(ListAt.inRoot(HEAD, 90)).inconsistencies())
                .singleElement()
                .asString()
                .contains("has no room for an entry");
        assertThat(pool.check(ListAt.inRoot(HEAD, -8)).isConsistent()).isFalse();
        assertThat(pool.check(ListAt.inRoot(HEAD, Long.MAX_VALUE)).isConsistent()).isFalse();
    }

    @Test
    void aHeadThatIsNowhereIsFound() {
        assertThat(pool.check(ListAt.inRoot(1 << 20, ENTRY)).isConsistent()).isFalse();
        assertThat(pool.check(ListAt.inRoot(-8, ENTRY)).isConsistent()).isFalse();
        ListAt nowhere = new ListAt(new Ref(pool.poolId(), 12_345), 0, ENTRY);
        assertThat(pool.check(nowhere).inconsistencies())
                .singleElement()
                .returns(12_345L, Inconsistency::offset);
        assertThatThrownBy(() -> pool.check(new ListAt(new Ref(1, root.offset()), 0, 0)))
                .isInstanceOf(FarheapException.class);
    }

    private void found(long offset, String meaning) {
        assertThat(pool.check(LIST).inconsistencies())
                .singleElement()
                .returns(Structure.LIST, Inconsistency::structure)
                .returns(offset, Inconsistency::offset)
                .asString()
                .contains(meaning);
    }
}
