package io.farheap.availability.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Swap.Outcome;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every engine promises. */
public abstract class CoordinatorContract {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final AtomicInteger LAST_KEY = new AtomicInteger();

    private final List<Coordinator> clients = new ArrayList<>();
    private final String key = "contract/" + LAST_KEY.incrementAndGet() + "/key";

    /** A client of the one store of this test. */
    protected abstract Coordinator connect() throws Exception;

    /** In bytes: what a test takes for a large value, which this engine must have room for. */
    protected int largest() {
        return 1 << 20;
    }

    private Coordinator client() throws Exception {
        Coordinator client = connect();
        clients.add(client);
        return client;
    }

    @AfterEach
    void closeClients() {
        clients.forEach(Coordinator::close);
    }

    @Test
    void aKeyThatIsNotThereHasVersionZero() throws Exception {
        Versioned absent = client().read(key);

        assertThat(absent.value()).isEmpty();
        assertThat(absent.version()).isZero();
        assertThat(absent.stamp().identity()).isNotEmpty();
    }

    @Test
    void aKeyIsCreatedOnce() throws Exception {
        Coordinator one = client();
        Coordinator other = client();

        Swap created = one.compareAndSet(key, 0, bytes("one"));
        Swap again = other.compareAndSet(key, 0, bytes("other"));

        assertThat(created.outcome()).isEqualTo(Outcome.APPLIED);
        assertThat(again.outcome()).isEqualTo(Outcome.LOST);
        assertThat(text(other.read(key))).isEqualTo("one");
        assertThat(other.read(key).version()).isEqualTo(created.version()).isPositive();
    }

    @Test
    void aValueIsReplacedInTheVersionItHasOnly() throws Exception {
        Coordinator client = client();
        Swap first = client.compareAndSet(key, 0, bytes("1"));
        Swap second = client.compareAndSet(key, first.version(), bytes("2"));

        Swap late = client.compareAndSet(key, first.version(), bytes("late"));

        assertThat(second.outcome()).isEqualTo(Outcome.APPLIED);
        assertThat(second.version()).isGreaterThan(first.version());
        assertThat(late.outcome()).isEqualTo(Outcome.LOST);
        assertThat(text(client.read(key))).isEqualTo("2");
    }

    @Test
    void aKeyThatIsNotThereIsNotReplaced() throws Exception {
        Coordinator client = client();

        assertThat(client.compareAndSet(key, 7, bytes("x")).outcome()).isEqualTo(Outcome.LOST);
        assertThat(client.read(key).value()).isEmpty();
    }

    @Test
    void aValueIsSetOnlyWhileAnotherKeyIsAsItWasRead() throws Exception {
        Coordinator client = client();
        String beside = key + "-beside";
        Swap first = client.compareAndSet(key, 0, bytes("1"), beside, 0);
        assertThat(first.outcome()).isEqualTo(Outcome.APPLIED);
        long version = first.version();
        assertThat(client.compareAndSet(key, version, bytes("x"), beside, version).outcome())
                .isEqualTo(Outcome.LOST);

        Swap made = client.compareAndSet(beside, 0, bytes("made"));
        assertThat(client.compareAndSet(key, version, bytes("x"), beside, 0).outcome())
                .isEqualTo(Outcome.LOST);
        assertThat(client.compareAndSet(key, 0, bytes("x"), beside, made.version()).outcome())
                .isEqualTo(Outcome.LOST);
        Swap second = client.compareAndSet(key, version, bytes("2"), beside, made.version());
        assertThat(second.outcome()).isEqualTo(Outcome.APPLIED);

        Swap changed = client().compareAndSet(beside, made.version(), bytes("changed"));
        assertThat(changed.outcome()).isEqualTo(Outcome.APPLIED);
        long now = second.version();
        assertThat(client.compareAndSet(key, now, bytes("x"), beside, made.version()).outcome())
                .isEqualTo(Outcome.LOST);
        assertThat(text(client.read(key))).isEqualTo("2");
        assertThat(client.read(key).version()).isEqualTo(now);
        assertThat(text(client.read(beside))).isEqualTo("changed");
    }

    /** Whether that was there before or not, and at whatever moment it changes. */
    @Test
    void nobodySetsAValueAfterTheOtherKeyHasChanged() throws Exception {
        Coordinator client = client();
        Coordinator second = client();
        long known = client.compareAndSet(key + "-beside", 0, bytes("0")).version();
        long version = client.compareAndSet(key, 0, bytes("0")).version();
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < 40; i++) {
                boolean isNew = i % 2 == 0;
                String beside = key + "-beside" + (isNew ? i : "");
                long besideBefore = isNew ? 0 : known;
                long before = version;
                Future<Swap> set =
                        both.submit(
                                () ->
                                        client.compareAndSet(
                                                key, before, bytes("x"), beside, besideBefore));
                Future<Swap> moved =
                        both.submit(() -> second.compareAndSet(beside, besideBefore, bytes("y")));
                assertThat(moved.get().outcome()).isEqualTo(Outcome.APPLIED);
                known = isNew ? known : moved.get().version();
                if (set.get().outcome() == Outcome.APPLIED) {
                    assertThat(set.get().version()).isLessThan(moved.get().version());
                    version = set.get().version();
                } else {
                    assertThat(client.read(key).version()).isEqualTo(before);
                }
            }
        }
    }

    @Test
    void theStoresStampGrowsWithEachChangeAndKeepsItsIdentity() throws Exception {
        Coordinator client = client();
        StoreStamp before = client.read(key).stamp();

        StoreStamp changed = client.compareAndSet(key, 0, bytes("1")).stamp();
        StoreStamp after = client().read(key + "-other").stamp();

        assertThat(changed.identity()).isEqualTo(before.identity());
        assertThat(changed.revision()).isGreaterThan(before.revision());
        assertThat(after.follows(changed)).isTrue();
        assertThat(before.follows(changed)).isFalse();
    }

    @Test
    void anyBytesComeBack() throws Exception {
        Coordinator client = client();
        byte[] all = new byte[64 << 10];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        Swap large = client.compareAndSet(key, 0, all);
        assertThat(client.read(key).value().orElseThrow()).isEqualTo(all);

        client.compareAndSet(key, large.version(), new byte[0]);
        assertThat(client.read(key).value().orElseThrow()).isEmpty();
    }

    @Test
    void keysWithACommonBeginningAreSeveral() throws Exception {
        Coordinator client = client();
        client.compareAndSet(key + "/a", 0, bytes("a"));
        client.compareAndSet(key + "/ä\u20ac", 0, bytes("utf-8"));

        assertThat(client.read(key).value()).isEmpty();
        assertThat(client.read(key + "/").value()).isEmpty();
        assertThat(text(client.read(key + "/ä\u20ac"))).isEqualTo("utf-8");
    }

    @Test
    void aListingHasEveryKeyBelowItsPrefixAndNoOther() throws Exception {
        Coordinator client = client();
        assertThat(client.list(key + "/")).isEmpty();
        client.compareAndSet(key + "/a", 0, bytes("a"));
        client.compareAndSet(key + "/ä\u20ac", 0, new byte[0]);
        client.compareAndSet(key + "0", 0, bytes("behind"));
        client.compareAndSet(key + "/b", 0, bytes("b"));
        assertThat(client().announce(key + "/c", bytes("c"), TTL)).isPresent();

        assertThat(shown(client.list(key + "/")))
                .containsExactlyInAnyOrder("/a=a", "/b=b", "/c=c, announced", "/ä\u20ac=");
        assertThat(shown(client.list(key + "/b"))).containsExactly("/b=b");
    }

    private List<String> shown(List<Listed> listing) {
        return listing.stream()
                .map(
                        one ->
                                one.key().substring(key.length())
                                        + "="
                                        + new String(one.value(), UTF_8)
                                        + (one.announced() ? ", announced" : ""))
                .toList();
    }

    /** More than one answer has room for, of which an engine must make no failure. */
    @Test
    void aListingMayHaveManyKeysAndLargeOnes() throws Exception {
        Coordinator client = client();
        byte[] large = new byte[largest()];
        for (int i = 0; i < 620; i++) {
            byte[] value = i > 400 && i <= 404 ? large : bytes("v" + i);
            client.compareAndSet(String.format("%s/%04d", key, i), 0, value);
        }

        List<Listed> listing = new ArrayList<>(client.list(key + "/"));

        listing.sort(Comparator.comparing(Listed::key));
        assertThat(listing).hasSize(620);
        assertThat(shown(List.of(listing.get(0), listing.get(619))))
                .containsExactly("/0000=v0", "/0619=v619");
        assertThat(listing).filteredOn(one -> one.value().length == large.length).hasSize(4);
    }

    @Test
    void whatIsAnnouncedCanBeReplacedAndStillEndsWithItsProcess() throws Exception {
        Coordinator one = client();
        Coordinator other = client();
        Presence presence = one.announce(key, bytes("1"), TTL).orElseThrow();

        assertThat(presence.replace(bytes("2"))).isTrue();

        assertThat(other.present(key).orElseThrow()).isEqualTo(bytes("2"));
        assertThat(presence.isLost()).isFalse();
        presence.close();
        assertThat(other.present(key)).isEmpty();
        assertThat(presence.replace(bytes("3"))).isFalse();
        assertThat(other.present(key)).isEmpty();
    }

    @Test
    void anEmptyKeyIsRefused() throws Exception {
        Coordinator client = client();

        assertThatThrownBy(() -> client.read("")).isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> client.compareAndSet("", 0, bytes("x")))
                .isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> client.list("")).isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> client.watch("", () -> {})).isInstanceOf(FarheapException.class);
    }

    /** Each thread adds 1 whenever it may: no addition is lost, and none is made twice. */
    @Test
    void ofManyAtATimeOneWins() throws Exception {
        Coordinator first = client();
        first.compareAndSet(key, 0, bytes("0"));
        List<Callable<Integer>> adders = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Coordinator client = i % 2 == 0 ? first : client();
            adders.add(() -> add(client, 15));
        }

        int applied = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(adders.size())) {
            for (Future<Integer> adder : threads.invokeAll(adders)) {
                applied += adder.get();
            }
        }

        assertThat(applied).isEqualTo(4 * 15);
        assertThat(text(first.read(key))).isEqualTo(Integer.toString(applied));
    }

    private int add(Coordinator client, int times) {
        int applied = 0;
        while (applied < times) {
            Versioned now = client.read(key);
            byte[] next = bytes(Integer.toString(Integer.parseInt(text(now)) + 1));
            Swap swap = client.compareAndSet(key, now.version(), next);
            assertThat(swap.outcome()).isNotEqualTo(Outcome.UNKNOWN);
            applied += swap.outcome() == Outcome.APPLIED ? 1 : 0;
        }
        return applied;
    }

    @Test
    void whoIsPresentIsSeenUntilItCloses() throws Exception {
        Coordinator one = client();
        Coordinator other = client();
        assertThat(other.present(key)).isEmpty();

        Presence present = one.announce(key, bytes("one"), TTL).orElseThrow();
        assertThat(other.present(key).map(String::new)).contains("one");
        assertThat(present.isLost()).isFalse();
        assertThat(other.announce(key, bytes("other"), TTL)).isEmpty();

        present.close();
        present.close();
        assertThat(present.isLost()).isTrue();
        assertThat(other.present(key)).isEmpty();
        assertThat(other.announce(key, bytes("other"), TTL)).isPresent();
    }

    @Test
    void whatAClientAnnouncedEndsWithIt() throws Exception {
        Coordinator one = client();
        Coordinator other = client();
        Presence present = one.announce(key, bytes("one"), TTL).orElseThrow();
        Presence second = one.announce(key + "-second", bytes("two"), TTL).orElseThrow();
        second.close();

        one.close();

        assertThat(present.isLost()).isTrue();
        assertThat(other.present(key)).isEmpty();
    }

    @Test
    void whatWasAnnouncedIsTakenAwayByWhoKnowsItExactly() throws Exception {
        Coordinator one = client();
        Coordinator other = client();
        byte[] value = {1, 2};
        Presence presence = one.announce(key, value, TTL).orElseThrow();
        other.remove(key, new byte[] {1, 3});
        assertThat(other.present(key)).contains(value);
        other.remove(key, value);
        assertThat(other.present(key)).isEmpty();
        assertThat(presence.replace(new byte[] {4})).as("it is gone").isFalse();
        other.remove(key, value);
    }

    @Test
    void aValueIsNobodysPresence() throws Exception {
        Coordinator client = client();
        client.compareAndSet(key, 0, bytes("value"));

        assertThat(client.present(key)).isEmpty();
        assertThat(client.announce(key, bytes("me"), TTL)).isEqualTo(Optional.empty());
    }

    @Test
    void aWatchCallsAtOnceAndAfterChangesBelowItsPrefix() throws Exception {
        Coordinator watching = client();
        Coordinator changing = client();
        AtomicInteger calls = new AtomicInteger();
        try (Watch watch = watching.watch(key, calls::incrementAndGet)) {
            await().until(() -> calls.get() > 0);
            Swap swap = changing.compareAndSet(key + "/a", 0, bytes("1"));
            await().until(() -> calls.get() > 1);
            int before = calls.get();
            changing.compareAndSet(key + "/a", swap.version(), bytes("2"));
            await().until(() -> calls.get() > before);
            assertThat(watch).isNotNull();
        }
        int atEnd = calls.get();
        changing.compareAndSet(key + "/b", 0, bytes("1"));
        assertThat(calls).hasValue(atEnd);
    }

    /** What it does may fail, and it may close its own watch. */
    @Test
    void aWatchSurvivesWhatItCalls() throws Exception {
        Coordinator client = client();
        AtomicInteger calls = new AtomicInteger();
        try (Watch watch =
                client.watch(
                        key,
                        () -> {
                            calls.incrementAndGet();
                            throw new IllegalStateException("thrown by the test");
                        })) {
            await().until(() -> calls.get() > 0);
            client.compareAndSet(key, 0, bytes("1"));
            await().until(() -> calls.get() > 1);
            assertThat(watch).isNotNull();
        }
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    protected static String text(Versioned versioned) {
        return new String(versioned.value().orElseThrow(), UTF_8);
    }
}
