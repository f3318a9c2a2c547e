package io.farheap.availability.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.StoreFaults.Fate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The store in memory: the contract, and everything that can go wrong on request. */
class MemoryCoordinatorTest extends CoordinatorContract {
    private static final Duration LONG = Duration.ofHours(1);

    private final MemoryStore store = new MemoryStore(LONG);
    private final AtomicReference<Fate> fate = new AtomicReference<>(Fate.ANSWERED);

    @Override
    protected Coordinator connect() {
        return store.connect(StoreFaults.NONE);
    }

    private Coordinator faulty() {
        return store.connect(fate::get);
    }

    @Test
    void whoIsCutOffReachesNothing() {
        Coordinator cut = faulty();
        fate.set(Fate.CUT);

        assertThat(cut.compareAndSet("k", 0, bytes("1"))).isEqualTo(Swap.unknown());
        assertThatThrownBy(() -> cut.read("k")).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> cut.list("k")).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> cut.present("k")).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> cut.announce("k", bytes("1"), LONG))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(connect().read("k").value()).isEmpty();
    }

    @Test
    void anAnswerIsLostBehindTheChange() {
        Coordinator client = faulty();
        fate.set(Fate.ANSWER_LOST);

        assertThat(client.compareAndSet("k", 0, bytes("1"))).isEqualTo(Swap.unknown());
        assertThat(text(connect().read("k"))).isEqualTo("1");
    }

    @Test
    void aLateRequestIsComparedWhenItArrives() {
        Coordinator client = faulty();
        fate.set(Fate.LATE);
        client.compareAndSet("k", 0, bytes("late"));
        client.compareAndSet("other", 0, bytes("late"));
        assertThat(connect().read("k").value()).isEmpty();
        connect().compareAndSet("other", 0, bytes("first"));

        assertThat(store.deliverLate()).isTrue();
        assertThat(store.deliverLate()).isTrue();
        assertThat(store.deliverLate()).isFalse();

        assertThat(text(connect().read("k"))).isEqualTo("late");
        assertThat(text(connect().read("other"))).isEqualTo("first");
    }

    @Test
    void aLateRequestMayNeverArrive() {
        fate.set(Fate.LATE);
        faulty().compareAndSet("k", 0, bytes("late"));

        store.dropLate();

        assertThat(store.deliverLate()).isFalse();
        assertThat(connect().read("k").value()).isEmpty();
    }

    @Test
    void aLeaseMayEndThoughItsClientIsAlive() {
        Coordinator client = connect();
        Presence present = client.announce("k", bytes("1"), LONG).orElseThrow();
        Presence others = connect().announce("k2", bytes("2"), LONG).orElseThrow();

        store.endLeases(client);

        assertThat(present.isLost()).isTrue();
        assertThat(others.isLost()).isFalse();
        assertThat(client.present("k")).isEmpty();
        assertThat(connect().announce("k", bytes("next"), LONG)).isPresent();
        present.close();
        assertThat(connect().present("k")).as("another's").isPresent();
    }

    @Test
    void aRestoredStoreShowsByItsStamp() {
        Coordinator client = connect();
        Swap first = client.compareAndSet("k", 0, bytes("1"));
        MemoryStore.Backup backup = store.backup();
        StoreStamp seen = client.compareAndSet("k", first.version(), bytes("2")).stamp();

        store.restore(backup, false);
        assertThat(text(client.read("k"))).isEqualTo("1");
        assertThat(client.read("k").stamp().follows(seen)).isFalse();

        store.restore(backup, true);
        client.compareAndSet("k", first.version(), bytes("2"));
        client.compareAndSet("more", 0, bytes("3"));
        assertThat(client.read("k").stamp().revision()).isGreaterThan(seen.revision());
        assertThat(client.read("k").stamp().follows(seen)).isFalse();
    }

    @Test
    void aWatchCallsAlsoWithoutAHint() {
        AtomicInteger calls = new AtomicInteger();
        try (Coordinator client = new MemoryStore(Duration.ofMillis(5)).connect(StoreFaults.NONE)) {
            client.watch("k", calls::incrementAndGet);
            await().until(() -> calls.get() > 3);
        }
    }
}
