package io.farheap.availability;

import io.farheap.availability.RecordOutcome.Kind;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * The record of one pool, as one node changes it: created, taken over, and with each switch
 * (docs/high-availability.md#the-recorded-switch).
 *
 * <p>One request is under way at a time. When its outcome is not known, {@link #settle} makes the
 * very same request again until a read or an answer tells: another one must not be made before, for
 * the first may reach the store at any time. Under other orders than it was made under the first is
 * never carried out, and the same record is asked for under those, if they are no pause. For one
 * thread.
 */
class PoolRecord {
    private static final int NONCE_BYTES = 16;

    private final Coordinator store;
    private final PoolKeys keys;
    private final String key;
    private final String node;
    private final SeenStamps seen;
    private final RandomGenerator random;

    /** What this node wrote last, with its version; null: nothing yet. */
    private ClusterRecord mine;

    private long myVersion;

    /** What was asked for and is not settled, over this version; null: nothing. */
    private ClusterRecord asked;

    private long askedOver;

    /** What was ordered when it was seen last that this node may take over; null: nobody looked. */
    private Orders heeded;

    /** The request is carried out only as long as these are what is ordered; null: it is anyway. */
    private Orders askedUnder;

    PoolRecord(
            Coordinator store,
            PoolKeys keys,
            String node,
            SeenStamps seen,
            RandomGenerator random) {
        this.store = store;
        this.keys = keys;
        this.key = keys.record();
        this.node = NodeNames.require("node", node);
        this.seen = seen;
        this.random = random;
    }

    /**
     * From now on this node takes over only where take-overs are not paused at that very moment,
     * however long it was stopped before.
     *
     * @param now as they were read, and no pause
     */
    void heed(Orders now) {
        heeded = now;
    }

    /** Of a pool that is new, or new to high availability: this node alone, term 1. */
    RecordOutcome create(long number, long planVersion) {
        requireSettled();
        TreeSet<String> alone = new TreeSet<>();
        alone.add(node);
        return ask(
                new ClusterRecord(1, node, alone, number, planVersion, nonce()).identified(id()),
                0,
                null);
    }

    /**
     * The first step of a take-over. A node of the set (docs/high-availability.md#only-members)
     * whose copy knows the recorded number (docs/high-availability.md#number-check) has everything
     * that was acknowledged; no other one may.
     *
     * @throws StoreUnavailableException nothing was asked for
     */
    RecordOutcome takeOver(OwnCopy copy) {
        requireSettled();
        Versioned now = store.read(key);
        if (!isTrusted(now)) {
            return wentBack(now.stamp());
        }
        Optional<ClusterRecord> there = valueOf(now);
        if (there.isEmpty()) {
            return new RecordOutcome(Kind.NOT_ALLOWED, "There is no record " + key + ".");
        }
        ClusterRecord record = there.get();
        if (!record.set().contains(node)) {
            return notAllowed(record, "is not of the set");
        }
        if (!copy.mayBecome(record.number())) {
            return notAllowed(
                    record,
                    String.format(
                            "has a copy with number %d, next %d%s",
                            copy.cur(), copy.next(), copy.whole() ? "" : ", half copied"));
        }
        ClusterRecord taken = record.takenOver(node, nonce());
        return ask(taken.id() == 0 ? taken.identified(idBy(copy)) : taken, now.version(), heeded);
    }

    /**
     * A store that went back, or an earlier build, may have lost the id: then it is the one that
     * this copy of the record's knows, and the others refuse no writer of another one.
     */
    private long idBy(OwnCopy copy) {
        return copy.recordId() == 0 ? id() : copy.recordId();
    }

    /**
     * The switch point of the cluster: all nodes of this set are prepared for the number. Only for
     * who wrote the record last. Only over the version that was written then: a successor's record
     * stays (docs/high-availability.md#compare).
     *
     * @throws StoreUnavailableException nothing was asked for
     */
    RecordOutcome record(SortedSet<String> set, long number) {
        requireSettled();
        if (mine == null) {
            throw new IllegalStateException(node + " has not taken over " + key);
        }
        // A look first: a store that went back must not be written to, though the version may fit.
        Versioned now = store.read(key);
        if (!isTrusted(now)) {
            return wentBack(now.stamp());
        }
        return now.version() == myVersion
                ? ask(mine.switched(set, number, nonce()), myVersion, null)
                : over(now);
    }

    private RecordOutcome ask(ClusterRecord record, long over, Orders under) {
        asked = record;
        askedOver = over;
        askedUnder = under;
        return askOnce();
    }

    /**
     * A request without an answer is not done: a read tells what became of it
     * (docs/high-availability.md#known-cas).
     */
    private RecordOutcome askOnce() {
        byte[] value = ClusterRecordCodec.encode(asked);
        Swap swap =
                askedUnder == null
                        ? store.compareAndSet(key, askedOver, value)
                        : store.compareAndSet(
                                key, askedOver, value, keys.order(), askedUnder.version());
        return swap.outcome() == Swap.Outcome.APPLIED
                ? recorded(swap.version(), swap.stamp())
                : readWhatBecame(false, swap.outcome() == Swap.Outcome.LOST);
    }

    /**
     * Reads what became of the request whose outcome is not known, and makes the very same one
     * again if nothing did.
     *
     * @throws FarheapException the store refuses the request: it is as unsettled as before
     */
    RecordOutcome settle() {
        if (asked == null) {
            throw new IllegalStateException("nothing is unsettled for " + key);
        }
        return readWhatBecame(true, false);
    }

    /** Also where the request was lost: an earlier one of the same may be what was first. */
    private RecordOutcome readWhatBecame(boolean askAgain, boolean isLost) {
        Versioned now;
        try {
            now = store.read(key);
        } catch (StoreUnavailableException e) {
            return new RecordOutcome(Kind.UNSETTLED, e.getMessage());
        }
        if (!isTrusted(now)) {
            return wentBack(now.stamp());
        }
        if (now.version() == askedOver && isLost && askedUnder != null) {
            return underOtherOrders();
        }
        if (now.version() == askedOver) {
            return askAgain
                    ? askOnce()
                    : new RecordOutcome(
                            Kind.UNSETTLED, "The store has not answered, and has not changed yet.");
        }
        return valueOf(now).filter(asked::equals).isPresent()
                ? recorded(now.version(), now.stamp())
                : over(now);
    }

    /**
     * The orders' version has moved: what was asked for under it can't be carried out any more,
     * though the record is as it was.
     */
    private RecordOutcome underOtherOrders() {
        Orders now;
        try {
            now = Orders.read(store, keys);
        } catch (StoreUnavailableException e) {
            return new RecordOutcome(Kind.UNSETTLED, e.getMessage());
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.BAD_DATA) {
                throw e;
            }
            asked = null; // as before a turn: who can't tell whether there is a pause waits
            return new RecordOutcome(Kind.NOT_ALLOWED, e.getMessage());
        }
        if (now.paused()) {
            asked = null;
            return new RecordOutcome(
                    Kind.NOT_ALLOWED,
                    String.format(
                            "Take-overs were paused when %s was about to write %s: farheap ha resume"
                                    + " lets them go on.",
                            node, key));
        }
        askedUnder = now;
        return new RecordOutcome(Kind.UNSETTLED, keys.order() + " has changed meanwhile.");
    }

    /** The version has moved: what was asked for can't be carried out any more. */
    private RecordOutcome over(Versioned now) {
        asked = null;
        mine = null;
        return new RecordOutcome(
                Kind.OVER,
                String.format(
                        "%s is another's: %s.",
                        key, valueOf(now).map(ClusterRecord::toString).orElse("there is none")));
    }

    private Optional<ClusterRecord> valueOf(Versioned now) {
        return now.value().map(value -> ClusterRecordCodec.decode(key, value));
    }

    private RecordOutcome recorded(long version, StoreStamp stamp) {
        if (!isTrusted(stamp, seen.newest())) {
            return wentBack(stamp);
        }
        mine = asked;
        myVersion = version;
        asked = null;
        return new RecordOutcome(Kind.RECORDED, key + " is now " + mine + ".");
    }

    /**
     * The record as the store has it; empty: there is none.
     *
     * @throws StoreUnavailableException the store does not answer
     * @throws FarheapException the store is older than what this node has seen of it
     */
    Optional<ClusterRecord> look() {
        // Before the read: another process of this node may see more meanwhile, and keep it.
        Optional<StoreStamp> newest = seen.newest();
        Versioned now = store.read(key);
        if (now.value().isEmpty() && newest.isEmpty()) {
            return Optional.empty(); // maybe the wrong store: it is not the one to remember
        }
        if (!isTrusted(now, newest)) {
            throw FarheapException.badData("%s", wentBack(now.stamp()).why());
        }
        return valueOf(now);
    }

    /** What this node wrote last and knows of; empty: nothing, or another came after it. */
    Optional<ClusterRecord> mine() {
        return Optional.ofNullable(mine);
    }

    boolean isSettled() {
        return asked == null;
    }

    private boolean isTrusted(Versioned now) {
        return isTrusted(now, seen.newest());
    }

    private boolean isTrusted(Versioned now, Optional<StoreStamp> newest) {
        return !now.hasLostItsStore() && isTrusted(now.stamp(), newest);
    }

    /**
     * Whether it is no other store and no earlier one than was seen: an earlier record may name a
     * copy that was left out (docs/high-availability.md#store-went-back). What is newer is kept.
     */
    private boolean isTrusted(StoreStamp stamp, Optional<StoreStamp> newest) {
        if (newest.isPresent() && !stamp.follows(newest.get())) {
            return false;
        }
        if (!stamp.isNone() && (newest.isEmpty() || !newest.get().equals(stamp))) {
            seen.keep(stamp);
        }
        return true;
    }

    private RecordOutcome wentBack(StoreStamp stamp) {
        return new RecordOutcome(
                Kind.STORE_WENT_BACK,
                String.format(
                        "The store is %s at revision %d, and %s has seen %s at revision %d: it was"
                                + " restored or is another one. Nobody takes over and nobody changes"
                                + " the record until a person has looked at it; commits go on.",
                        stamp.isNone() ? "one without an identity" : stamp.identity(),
                        stamp.revision(),
                        node,
                        seen.newest().map(StoreStamp::identity).orElse("none"),
                        seen.newest().map(StoreStamp::revision).orElse(0L)));
    }

    private RecordOutcome notAllowed(ClusterRecord record, String why) {
        return new RecordOutcome(
                Kind.NOT_ALLOWED, String.format("%s %s, and %s says: %s.", node, why, key, record));
    }

    /** Anything else would race with the request that is not settled. */
    void requireSettled() {
        if (asked != null) {
            throw new IllegalStateException("an earlier request for " + key + " is not settled");
        }
    }

    /** By it copies know this record from an earlier one, whose terms were the same. */
    private long id() {
        byte[] bytes = new byte[Long.BYTES];
        random.nextBytes(bytes);
        return Math.max(1, ByteBuffer.wrap(bytes).getLong() >>> 1);
    }

    private String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
