package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreRefusedException;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Trouble;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One node's wait for its turn: it looks at the store and at its own copy, stands when the {@link
 * StandingRules} say so, and is the only one that stands, for it announces itself first.
 *
 * <p>For one thread.
 */
final class AwaitedTurn {
    /** Until the next look when the store did not answer. */
    private static final Duration STORE_AWAY = Duration.ofSeconds(2);

    private final Coordinator store;
    private final PoolKeys keys;
    private final String node;
    private final Duration ttl;
    private final Supplier<Optional<ClusterRecord>> record;
    private final Supplier<Held> held;
    private final StandingRules rules;
    private final LivenessClock clock;
    private final Consumer<String> told;
    private final Namesake namesake;
    private final Trouble refusal;
    private final Trouble waitingRefusal;
    private final Trouble twin;
    private String lastReason = "";
    private String lastFailure = "";
    private Duration untilNext = StandingRules.LOOK_AGAIN;
    private Presence waiting;

    /** Why it waits, as others are told, and as they were told last. */
    private String shown = "";

    private String announced = "";

    /** Who waits under this node's name, where that is somebody else. */
    private Optional<Lead> otherWaiting = Optional.empty();

    private long nextAnnouncement;

    /**
     * @param ttl of what is announced
     * @param record looks at the record in the store, which must not be older than what was seen
     * @param held who has the node's own copy
     * @param told why it waits, a sentence for each reason
     */
    AwaitedTurn(
            Coordinator store,
            PoolKeys keys,
            String node,
            Duration ttl,
            Supplier<Optional<ClusterRecord>> record,
            Supplier<Held> held,
            StandingRules rules,
            LivenessClock clock,
            Consumer<String> told) {
        this.store = store;
        this.keys = keys;
        this.node = node;
        this.ttl = ttl;
        this.record = record;
        this.held = held;
        this.rules = rules;
        this.clock = clock;
        this.told = told;
        this.namesake = new Namesake(node, ttl);
        this.refusal = new Trouble(told);
        this.waitingRefusal = new Trouble(told);
        this.twin = new Trouble(told);
        this.nextAnnouncement = clock.nanos();
    }

    /** What is done when it is this node's turn. */
    interface Turn<T> {
        /**
         * @param lead this process, as all see it now
         * @throws FarheapException the turn comes to nothing
         */
        T take(Presence lead);
    }

    /**
     * Waits until the turn has succeeded.
     *
     * @throws FarheapException the turn failed for a reason that another attempt does not mend
     */
    <T> T await(Turn<T> turn) throws InterruptedException {
        try {
            while (true) {
                StandingRules.Decision decision = look();
                if (!decision.stands()) {
                    beWaiting();
                    clock.pause(atMost(decision));
                    continue;
                }
                Optional<Presence> lead = announce();
                if (lead.isEmpty()) {
                    clock.pause(untilNext);
                    continue;
                }
                Optional<T> taken = take(turn, lead.get());
                if (taken.isPresent()) {
                    return taken.get();
                }
            }
        } finally {
            stopWaiting();
        }
    }

    /** Also where the store's watch, which looks more often, has failed or says nothing. */
    private Duration atMost(StandingRules.Decision decision) {
        return decision.atMost().compareTo(ttl) < 0 ? decision.atMost() : ttl;
    }

    private void stopWaiting() {
        if (waiting != null) {
            waiting.close();
            waiting = null;
        }
    }

    /** Waits until this node would stand, and leaves the turn to somebody else on this node. */
    void awaitChance() throws InterruptedException {
        try {
            StandingRules.Decision decision = look();
            while (!decision.stands()) {
                beWaiting();
                clock.pause(atMost(decision));
                decision = look();
            }
        } finally {
            stopWaiting();
        }
    }

    private StandingRules.Decision look() {
        StandingRules.Decision decision;
        String detail = "";
        try {
            Sight sight = sight();
            if (otherWaiting.isPresent()) {
                otherWaiting = whoWaits(); // what was seen a turn ago says nothing of now
            }
            namesake.look(
                    sight.lead().filter(lead -> lead.isElsewhere(node)).or(() -> otherWaiting),
                    clock.nanos());
            decision =
                    namesake.why()
                            .map(why -> new StandingRules.Decision(why, ttl))
                            .orElseGet(() -> rules.decide(sight, clock.nanos()));
        } catch (StoreUnavailableException e) {
            rules.sawNothing();
            namesake.sawNothing();
            decision =
                    new StandingRules.Decision(
                            "the store does not answer, and without it nobody takes over",
                            STORE_AWAY);
            detail = ": " + e.getMessage();
        } catch (FarheapException e) {
            rules.sawNothing();
            namesake.sawNothing();
            decision = new StandingRules.Decision(e.getMessage(), STORE_AWAY);
        }
        String why = Trouble.bare(decision.why());
        if (!decision.stands()
                && !why.equals(StandingRules.AFTER_A_PAUSE)
                && !why.equals(lastReason)) {
            lastReason = why;
            shown = decision.why();
            told.accept(decision.why() + detail);
        }
        return decision;
    }

    private Sight sight() {
        Optional<ClusterRecord> found = record.get();
        Optional<Lead> lead = lead();
        Orders orders = Orders.read(store, keys);
        if (lead.isPresent() || found.isEmpty() || !found.get().set().contains(node)) {
            return new Sight(found, lead, orders, Held.BY_NOBODY, false);
        }
        String writer = found.get().writer();
        boolean writerWaits =
                !writer.equals(node) && store.present(keys.waiting(writer)).isPresent();
        return new Sight(found, lead, orders, held.get(), writerWaits);
    }

    /** A process of this node that has ended is not waited for. */
    private Optional<Lead> lead() {
        Optional<byte[]> announced = store.present(keys.lead());
        Optional<Lead> lead = announced.map(value -> Lead.decode(keys.lead(), value));
        if (lead.isEmpty() || !lead.get().hasEnded(node) || !held.get().isByNobody()) {
            return lead;
        }
        store.remove(keys.lead(), announced.get());
        return Optional.empty();
    }

    /** Empty: somebody was faster, or the store does not take it at present. */
    private Optional<Presence> announce() {
        untilNext = StandingRules.LOOK_AGAIN;
        try {
            Optional<Presence> lead = store.announce(keys.lead(), Lead.of(node).encode(), ttl);
            refusal.isOver();
            return lead;
        } catch (StoreUnavailableException e) {
            return Optional.empty();
        } catch (StoreRefusedException e) {
            untilNext = STORE_AWAY;
            refusal.is(
                    "it is this node's turn, and the store does not let it be announced, without"
                            + " which nobody takes over: "
                            + e.getMessage());
            return Optional.empty();
        }
    }

    private <T> Optional<T> take(Turn<T> turn, Presence lead) {
        boolean taken = false;
        try {
            T result = turn.take(lead);
            taken = true;
            return Optional.of(result);
        } catch (FarheapException e) {
            if (!isWorthAnother(e)) {
                throw e;
            }
            rules.failed(clock.nanos());
            namesake.lookedAway();
            if (!Trouble.bare(e.getMessage()).equals(lastFailure)) {
                lastFailure = Trouble.bare(e.getMessage());
                told.accept("this node's turn came to nothing: " + e.getMessage());
            }
            return Optional.empty();
        } finally {
            if (!taken) {
                lead.close();
            }
        }
    }

    /** Copies come back, and so does a store; what a program or a file has wrong stays. */
    private static boolean isWorthAnother(FarheapException failure) {
        return failure.category() == FarheapException.Category.REPLICA
                || failure instanceof StoreUnavailableException
                || failure instanceof StoreRefusedException;
    }

    /** Others see that this node is up; that it can't be said costs them nothing but time. */
    private void beWaiting() {
        if (namesake.why().isPresent()) {
            stopWaiting(); // the name is left to the other one
            return;
        }
        boolean isSaid = waiting != null && !waiting.isLost() && announced.equals(shown);
        if (isSaid || clock.nanos() - nextAnnouncement < 0) {
            return;
        }
        nextAnnouncement = clock.nanos() + ttl.toNanos() / 3;
        byte[] value = Lead.of(node).waitingBecause(shown).encode();
        try {
            if (waiting == null || waiting.isLost() || !waiting.replace(value)) {
                stopWaiting();
                waiting = store.announce(keys.waiting(node), value, ttl).orElse(null);
            }
            announced = shown;
            waitingRefusal.isOver();
            otherWaiting = waiting == null ? whoWaits() : Optional.empty();
        } catch (StoreUnavailableException e) {
            announced = ""; // tried again
        } catch (StoreRefusedException e) {
            announced = "";
            waitingRefusal.is(
                    "the store does not let it be announced that this node waits: "
                            + e.getMessage());
        }
        otherWaiting.ifPresent(other -> twin.is(namesake.waits(other)));
    }

    /** Another machine's process; another one of this machine is nothing new. */
    private Optional<Lead> whoWaits() {
        String key = keys.waiting(node);
        return store.present(key)
                .flatMap(value -> Lead.decoded(key, value))
                .filter(other -> other.isElsewhere(node));
    }
}
