package io.farheap.objects.type;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.transaction.CommitWatcher;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a search of what is unreached makes of changes between its lists and its read. */
class UnreachedSearchTest {
    /** The search rests after each waiting for commits: the last time before its read. */
    private static final int LISTED = 3;

    private static final String TEXT = "a text that needs a block of its own";

    @Persistent
    interface Root {
        Node first();

        void first(Node value);
    }

    @Persistent
    interface Node {
        String text();

        void text(String value);

        Node next();

        void next(Node value);
    }

    @Persistent
    interface Special extends Node {}

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class, Node.class);
    private final HeapTransactions transactions = new HeapTransactions(heap.pool());

    @AfterEach
    void close() {
        transactions.close();
        heap.close();
    }

    @Test
    void whatIsUnreachedIsFoundWithoutAnyChange() {
        Node lost = node();
        lost.next(node());
        UnreachedPlaces found = search(() -> {});
        assertThat(found.objects().size()).isEqualTo(2);
        assertThat(found.blocks().isEmpty()).as("they go with their objects").isTrue();
    }

    @Test
    void aBlockThatWasFreedAndGivenOutAgainIsNotFound() {
        Node linked = node();
        heap.root().first(linked);
        Set<Long> before = places();
        UnreachedPlaces found =
                search(
                        () -> {
                            linked.text(null);
                            node(); // its maker may be about to link it
                        });
        assertThat(places()).as("the freed block is the new object's").containsAll(before);
        assertThat(found.blocks().isEmpty()).isTrue();
    }

    @Test
    void aPlaceThatMayHaveGotAReferenceBeforeItsObjectWasDeletedIsNotFound() {
        Node deleted = node();
        UnreachedPlaces found =
                search(
                        () -> {
                            node().next(deleted);
                            heap.delete(deleted);
                        });
        assertThat(found.deletedPlaces().isEmpty()).isTrue();
        assertThat(found.objects().isEmpty()).isTrue();
    }

    @Test
    void anObjectThatWasChangedIsLeftWithWhatItLeadsTo() {
        Node deleted = node();
        Node changed = node();
        Node next = node();
        heap.transaction(
                root -> {
                    changed.next(next);
                    next.next(deleted);
                });
        heap.delete(deleted);
        UnreachedPlaces found = search(() -> changed.text(changed.text()));
        assertThat(found.deletedPlaces().isEmpty()).as("next refers to it").isTrue();
        assertThat(found.blocks().isEmpty()).isTrue();
        assertThat(found.objects().size()).as("only next is as it was listed").isOne();
    }

    @Test
    void aDeletedPlaceThatNothingRefersToIsFound() {
        heap.delete(node());
        assertThat(search(() -> {}).deletedPlaces().size()).isOne();
    }

    @Test
    void aTypeThatIsAddedMeanwhileIsKnown() {
        UnreachedPlaces found = search(() -> heap.root().first(heap.create(Special.class)));
        assertThat(found.objects().isEmpty()).isTrue();
        assertThat(heap.root().first()).isInstanceOf(Special.class);
    }

    @Test
    void anObjectThatIsMadeAndDeletedInOneTransactionWasChanged() {
        Set<Long> told = new TreeSet<>();
        CommitWatcher watcher =
                new CommitWatcher() {
                    @Override
                    public void changes(long object) {
                        told.add(object);
                    }

                    @Override
                    public void frees(long object) {}
                };
        Set<Long> before = places();
        transactions.watch(watcher);
        heap.transaction(root -> heap.delete(heap.create(Node.class)));
        transactions.endWatch(watcher);
        Set<Long> made = places();
        made.removeAll(before);
        assertThat(told).hasSize(1).isSubsetOf(made);
    }

    private Node node() {
        return heap.create(Node.class, one -> one.text(TEXT));
    }

    private Set<Long> places() {
        Set<Long> places = new TreeSet<>();
        for (Ref object : heap.pool().objects()) {
            places.add(object.offset());
        }
        return places;
    }

    /** Searches, and has something done once all is listed and nothing read. */
    private UnreachedPlaces search(Runnable change) {
        AtomicLong commits = new AtomicLong();
        AtomicLong nanos = new AtomicLong();
        AtomicLong rests = new AtomicLong();
        Pace pace =
                new Pace(
                        () -> commits.addAndGet(10),
                        () -> nanos.addAndGet(Pace.PORTION_NANOS),
                        unused -> {
                            if (rests.incrementAndGet() == LISTED) {
                                change.run();
                            }
                        });
        HeapContext context = WellFormed.context(heap.pool(), transactions);
        return new UnreachedSearch(heap.pool(), transactions, context, pace).run();
    }
}
