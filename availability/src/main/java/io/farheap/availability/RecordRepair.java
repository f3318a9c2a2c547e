package io.farheap.availability;

import io.farheap.availability.ClusterRecord.Apart;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import io.farheap.replication.session.ReplicaReport;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What no node may decide by itself, and a person does: {@link HighAvailability#repair}. It looks
 * at the record and at every copy that can be reached, and writes the record anew, by
 * compare-and-set. No copy is removed or written to; one that may have commits which the pool then
 * lacks is set apart, and left alone until a person has said that it may go.
 *
 * <p>On the machine of one of the copies. For one thread.
 */
public final class RecordRepair implements AutoCloseable {
    static final Duration PAUSE = Duration.ofMillis(200);
    private static final int ATTEMPTS = 10;

    /** So that a program that is deposed by it has time to let the copy go. */
    private static final int FENCE_ATTEMPTS = 50;

    /** How many of them are left to a program that waits: its take-over ends who has the copy. */
    private static final int LEFT_TO_PROGRAM = 25;

    private static final int NONCE_BYTES = 16;

    private final Coordinator store;
    private final PoolKeys keys;
    private final String node;
    private final RepairedCopy own;
    private final Map<String, Supplier<ReplicaReport>> others;
    private final RandomGenerator random;
    private final Duration pause;

    /**
     * @param store is closed with it
     * @param others looks at the copies of the other nodes
     * @param pause between two attempts
     */
    RecordRepair(
            Coordinator store,
            PoolKeys keys,
            String node,
            RepairedCopy own,
            Map<String, Supplier<ReplicaReport>> others,
            RandomGenerator random,
            Duration pause) {
        this.store = store;
        this.keys = keys;
        this.node = node;
        this.own = own;
        this.others = new TreeMap<>(others);
        this.random = random;
        this.pause = pause;
    }

    /**
     * What it would be to have this node's copy go on, though the record's set does not have it, or
     * has it for another one: for when every copy of the set is lost.
     *
     * @param lost nodes whose copies are lost, each of the set and each that may have more and is
     *     not reached
     * @throws FarheapException REPLICA where a copy of the set answers, its program lives, another
     *     copy has or may have more, or this one is not whole; WRONG_USE where the lost are named
     *     wrongly; BAD_DATA where the store went back
     */
    public Repair force(Set<String> lost) {
        Set<String> named = new TreeSet<>(lost);
        RepairSight sight = sight();
        ClusterRecord record = sight.record().orElseThrow(this::noRecord);
        if (!sight.isTrusted()) {
            throw FarheapException.badData(
                    "%s", new StoreTrust(node, own.stamps()).wentBack(sight.now().stamp()));
        }
        return new ForcedRecord(sight, record).plan(named, nonce()).again(() -> force(named));
    }

    /**
     * What it would be to write the record anew, above all that the copies have heard, into a store
     * that was restored from a backup, or is empty.
     *
     * @param lost nodes whose copies are lost, each that is not reached
     * @throws FarheapException REPLICA where a copy that may have more is not reached, none is
     *     whole, or the store has not gone back and its record may be gone on from; WRONG_USE where
     *     the lost are named wrongly
     */
    public Repair rebase(Set<String> lost) {
        Set<String> named = new TreeSet<>(lost);
        return new RebasedRecord(sight()).plan(named, nonce()).again(() -> rebase(named));
    }

    private RepairSight sight() {
        return RepairSight.of(store, keys, node, own, others);
    }

    /**
     * Does it. Cut anywhere, the same command comes to the same end.
     *
     * @throws FarheapException REPLICA where the record or what was looked at has changed since, or
     *     somebody keeps this node's copy; ENVIRONMENT where the store does not answer, and it is
     *     not known whether it is done
     */
    public void carryOut(Repair repair) {
        ClusterRecord wanted = repair.wanted();
        if (repair.isNeeded() && !isThere(wanted, repair.over())) {
            requireAsBefore(repair);
            write(wanted, repair.over());
        }
        if (repair.fences()) {
            fence(wanted);
        }
    }

    /** A person may have taken an hour to agree. */
    private void requireAsBefore(Repair repair) {
        Repair now = repair.lookAgain();
        ClusterRecord wanted = repair.wanted();
        boolean same =
                now.over() == repair.over()
                        && now.isNeeded()
                        && now.wanted().withNonce(wanted.nonce()).equals(wanted);
        if (!same) {
            throw FarheapException.replica(
                    "The copies or the record have changed meanwhile, and nothing was changed: it"
                            + " would be %s now, not %s. Run this again if it is still wanted",
                    now.record(), wanted);
        }
    }

    /**
     * An agent that is started for an earlier writer refuses it from then on. Who has the copy
     * meanwhile is this node's program, which takes over or lets it go.
     */
    private void fence(ClusterRecord wanted) {
        FarheapException last = null;
        for (int i = 0; i < FENCE_ATTEMPTS; i++) {
            if (own.heard() >= wanted.term()) {
                return;
            }
            if (i < LEFT_TO_PROGRAM && mayGoOnByItself()) {
                pause();
                continue;
            }
            try {
                own.fence(node, wanted.term(), wanted.number());
                return;
            } catch (FarheapException e) {
                last = e;
            }
            pause();
        }
        throw FarheapException.replica(
                last,
                "%s is %s, but the copy of %s heeds earlier writers still: %s. Mend that, and run"
                        + " the same command again",
                keys.record(),
                wanted,
                node,
                last.getMessage());
    }

    private boolean mayGoOnByItself() {
        try {
            return store.present(keys.waiting(node)).isPresent()
                    || store.present(keys.lead()).isPresent();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private void write(ClusterRecord wanted, long over) {
        byte[] value = ClusterRecordCodec.encode(wanted);
        for (int i = 0; i < ATTEMPTS; i++) {
            Swap swap = store.compareAndSet(keys.record(), over, value);
            if (swap.outcome() == Swap.Outcome.APPLIED || isThere(wanted, over)) {
                return;
            }
            pause();
        }
        throw FarheapException.environment(
                "The store does not answer, so it is not known whether %s is %s: run the same"
                        + " command again",
                keys.record(), wanted);
    }

    private boolean isThere(ClusterRecord wanted, long over) {
        Versioned now;
        try {
            now = store.read(keys.record());
        } catch (StoreUnavailableException e) {
            return false;
        }
        Optional<ClusterRecord> there = record(now);
        if (there.filter(wanted::equals).isPresent()) {
            return true;
        }
        if (now.version() != over) {
            throw FarheapException.replica(
                    "%s has changed meanwhile: %s. Look at it, and run this again if it is still"
                            + " wanted",
                    keys.record(), there.map(ClusterRecord::toString).orElse("there is none"));
        }
        return false;
    }

    private void pause() {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.environment(e, "interrupted while the store was asked");
        }
    }

    /**
     * What this node's copy holds, which was set apart.
     *
     * @throws FarheapException WRONG_USE where it was not
     */
    public DiscardedCopy apart() {
        ClusterRecord record = record(store.read(keys.record())).orElseThrow(this::noRecord);
        Apart one = record.apart().get(node);
        if (one == null) {
            throw FarheapException.wrongUse(
                    "The copy of %s is not set apart, so nothing of it is kept from the writer: %s"
                            + " says %s",
                    node, keys.record(), record);
        }
        SeenCopy mine = own.look(node);
        return new DiscardedCopy(
                node,
                mine.text(),
                mine.kind() == SeenCopy.Kind.NOTHING,
                mine.uuid(),
                mine.holder(),
                one.term());
    }

    /**
     * This node's copy may go: the writer brings it up to date as any other.
     *
     * @param named the uuid of the copy, as a person says it; empty: there is nothing of it
     * @throws FarheapException as {@link DiscardedCopy#requireMayGo}
     */
    public void discard(DiscardedCopy copy, String named) {
        copy.requireMayGo(named);
        GivenUp.say(store, keys, node, new Apart(copy.term(), 0));
    }

    private Optional<ClusterRecord> record(Versioned now) {
        return now.value().map(value -> ClusterRecordCodec.decode(keys.record(), value));
    }

    private FarheapException noRecord() {
        return FarheapException.wrongUse(
                "There is no record %s: the pool's name or cluster is another one, or the store was"
                        + " wiped (farheap ha rebase)",
                keys.record());
    }

    private String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public void close() {
        store.close();
    }
}
