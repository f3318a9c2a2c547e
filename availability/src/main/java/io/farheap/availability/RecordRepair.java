package io.farheap.availability;

import io.farheap.availability.ClusterRecord.Apart;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import io.farheap.replication.session.ReplicaReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
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
    private static final int ATTEMPTS = 10;
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int NONCE_BYTES = 16;

    private final Coordinator store;
    private final PoolKeys keys;
    private final String node;
    private final RepairedCopy own;
    private final Map<String, Supplier<ReplicaReport>> others;
    private final RandomGenerator random;

    /**
     * @param store is closed with it
     * @param others looks at the copies of the other nodes
     */
    RecordRepair(
            Coordinator store,
            PoolKeys keys,
            String node,
            RepairedCopy own,
            Map<String, Supplier<ReplicaReport>> others,
            RandomGenerator random) {
        this.store = store;
        this.keys = keys;
        this.node = node;
        this.own = own;
        this.others = new TreeMap<>(others);
        this.random = random;
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
        Versioned now = store.read(keys.record());
        ClusterRecord record = record(now).orElseThrow(this::noRecord);
        requireTrusted(now, record);
        SeenCopy mine = own.look(node);
        List<SeenCopy> seen = seen(mine, record.set());
        requireNobodyWrites(record, mine);
        if (record.set().contains(node) && mine.own().mayBecome(record.number())) {
            boolean alone = record.writer().equals(node) && record.set().size() == 1;
            return done(seen, record, alone && !record.apart().isEmpty());
        }
        requireWhole(mine);
        requireLost(seen, lost, copy -> isMissed(copy, record, mine));
        requireSetIsGone(seen, record);
        long term = termAbove(seen, Optional.of(record));
        SortedSet<String> left = new TreeSet<>(record.set());
        left.addAll(lost);
        left.remove(node);
        SortedMap<String, Apart> apart = new TreeMap<>(record.apart());
        apart.remove(node);
        left.forEach(one -> apart.put(one, apart(one, seen, record, term)));
        TreeSet<String> alone = new TreeSet<>(Set.of(node));
        ClusterRecord wanted =
                new ClusterRecord(
                        term,
                        node,
                        alone,
                        mine.number(),
                        record.planVersion(),
                        nonce(),
                        apart,
                        record.rebased());
        List<String> losses = new ArrayList<>();
        for (String one : left) {
            losses.add(
                    record.set().contains(one)
                            ? String.format(
                                    "every commit that returned while the record named %s without"
                                            + " %s, since number %d: how many is not known",
                                    one, node, record.number())
                            : String.format("what %s may have and %s has not", one, node));
        }
        return new Repair(seen, record.toString(), losses, wanted, now.version(), true, true);
    }

    private boolean isMissed(SeenCopy copy, ClusterRecord record, SeenCopy than) {
        return !copy.node().equals(node)
                && (record.set().contains(copy.node()) || copy.mayHaveMoreThan(than));
    }

    private Repair done(List<SeenCopy> seen, ClusterRecord record, boolean fences) {
        return new Repair(seen, record.toString(), List.of(), record, 0, fences, false);
    }

    /** Who may take over by itself needs no force, and who may come back any moment is not lost. */
    private void requireNobodyWrites(ClusterRecord record, SeenCopy mine) {
        Optional<Lead> lead =
                store.present(keys.lead()).map(value -> Lead.decode(keys.lead(), value));
        if (lead.isPresent() && !lead.get().hasEnded(node)) {
            throw FarheapException.replica(
                    "%s is announced as the writer (process %d), and so nobody else is made one: end"
                            + " it first; if its machine is lost, wait until its announcement has"
                            + " ended",
                    lead.get().node(), lead.get().pid());
        }
        for (String one : record.set()) {
            if (!one.equals(node) && store.present(keys.waiting(one)).isPresent()) {
                throw FarheapException.replica(
                        "A program waits on %s, whose copy is of the recorded set: it takes over by"
                                + " itself; see what it says",
                        one);
            }
        }
        if (!mine.holder().isEmpty()) {
            throw FarheapException.replica(
                    "The copy of %s is in use by %s: end that first", node, mine.holder());
        }
    }

    private void requireWhole(SeenCopy mine) {
        if (mine.kind() != SeenCopy.Kind.WHOLE || mine.mayLag()) {
            throw FarheapException.replica(
                    "The copy of %s can't go on: %s. Only a whole copy that commits waited for can;"
                            + " look at the others",
                    node, mine.text());
        }
    }

    private void requireSetIsGone(List<SeenCopy> seen, ClusterRecord record) {
        for (SeenCopy copy : seen) {
            boolean ofSet = record.set().contains(copy.node()) && !copy.node().equals(node);
            boolean lives =
                    copy.own().mayBecome(record.number())
                            || copy.kind() == SeenCopy.Kind.UNKNOWN && !copy.uuid().isEmpty();
            if (ofSet && lives) {
                throw FarheapException.replica(
                        "%s answers, and its copy is of the recorded set (%s): start the program"
                                + " there, which has every commit",
                        copy.node(), copy.text());
            }
        }
    }

    /**
     * What it would be to write the record anew, above all that the copies have heard, into a store
     * that was restored from a backup, or is empty.
     *
     * @param lost nodes whose copies are lost, each that is not reached
     * @throws FarheapException REPLICA where a copy that may have more is not reached, or none is
     *     whole; WRONG_USE where the lost are named wrongly
     */
    public Repair rebase(Set<String> lost) {
        Versioned now = store.read(keys.record());
        Optional<ClusterRecord> record = record(now);
        Optional<Lead> lead =
                store.present(keys.lead()).map(value -> Lead.decode(keys.lead(), value));
        TreeSet<String> named = new TreeSet<>();
        record.ifPresent(one -> named.addAll(one.set()));
        lead.ifPresent(one -> named.addAll(one.turn().nodes()));
        SortedMap<String, Apart> apart =
                new TreeMap<>(
                        record.map(ClusterRecord::apart).orElse(Collections.emptySortedMap()));
        named.removeAll(apart.keySet());
        List<SeenCopy> seen = seen(own.look(node), named);
        List<SeenCopy> counted =
                seen.stream().filter(copy -> !apart.containsKey(copy.node())).toList();
        SeenCopy best =
                counted.stream()
                        .filter(copy -> copy.latest() != 0)
                        .max(Comparator.comparingLong(SeenCopy::latest))
                        .orElseThrow(() -> noneIsWhole(counted));
        requireLost(counted, lost, copy -> copy.latest() == 0 && copy.mayHaveMoreThan(best));
        long number = best.latest();
        TreeSet<String> set = new TreeSet<>();
        counted.stream()
                .filter(copy -> copy.own().mayBecome(number))
                .forEach(copy -> set.add(copy.node()));
        boolean stands =
                record.isPresent()
                        && new StoreTrust(node, own.stamps()).isTrusted(now, record)
                        && record.get().number() == number
                        && record.get().set().equals(set);
        if (stands) {
            return done(seen, record.get(), false);
        }
        long term = termAbove(seen, record);
        for (String one : lost) {
            apart.put(one, new Apart(term, record.map(ClusterRecord::number).orElse(0L)));
        }
        ClusterRecord wanted =
                new ClusterRecord(
                        term,
                        writer(set, record, lead),
                        set,
                        number,
                        record.map(ClusterRecord::planVersion).orElse(0L),
                        nonce(),
                        apart,
                        term);
        List<String> losses =
                lost.stream().map(one -> "what " + one + " has and none of these has").toList();
        return new Repair(
                seen,
                record.map(ClusterRecord::toString).orElse("none"),
                losses,
                wanted,
                now.version(),
                false,
                true);
    }

    private FarheapException noneIsWhole(List<SeenCopy> seen) {
        StringBuilder all = new StringBuilder();
        seen.forEach(copy -> all.append("; ").append(copy.node()).append(": ").append(copy.text()));
        return FarheapException.replica(
                "No copy that is reached is whole, so nothing can be recorded%s", all);
    }

    /** Who wrote goes on where that is known: its own copy needs nothing. */
    private String writer(
            SortedSet<String> set, Optional<ClusterRecord> record, Optional<Lead> lead) {
        return lead.map(Lead::node)
                .filter(set::contains)
                .or(() -> record.map(ClusterRecord::writer).filter(set::contains))
                .or(() -> Optional.of(node).filter(set::contains))
                .orElseGet(set::first);
    }

    private interface Missed {
        boolean test(SeenCopy copy);
    }

    /** A slip in a name must not look like an agreement. */
    private void requireLost(List<SeenCopy> seen, Set<String> lost, Missed missed) {
        Set<String> known = new TreeSet<>();
        List<SeenCopy> unnamed = new ArrayList<>();
        for (SeenCopy copy : seen) {
            if (!missed.test(copy)) {
                continue;
            }
            known.add(copy.node());
            if (!lost.contains(copy.node())) {
                unnamed.add(copy);
            }
        }
        for (String one : lost) {
            if (!known.contains(one)) {
                throw FarheapException.wrongUse(
                        "--lost=%s names no copy that would be lost, which are %s: nothing was"
                                + " changed",
                        one, known.isEmpty() ? "none" : String.join(", ", known));
            }
        }
        if (!unnamed.isEmpty()) {
            StringBuilder why = new StringBuilder();
            StringBuilder names = new StringBuilder();
            for (SeenCopy copy : unnamed) {
                why.append("; ").append(copy.node()).append(": ").append(copy.text());
                names.append(" --lost=").append(copy.node());
            }
            throw FarheapException.replica(
                    "Another copy has, or may have, commits that would be lost: nothing was"
                            + " changed%s. Bring it back, or run this where it is; only if it is"
                            + " lost for good:%s",
                    why, names);
        }
    }

    private static Apart apart(
            String one, List<SeenCopy> seen, ClusterRecord record, long newTerm) {
        long latest =
                seen.stream()
                        .filter(copy -> copy.node().equals(one))
                        .mapToLong(SeenCopy::latest)
                        .max()
                        .orElse(0);
        return new Apart(newTerm, Math.max(latest, record.number()));
    }

    private static long termAbove(List<SeenCopy> seen, Optional<ClusterRecord> record) {
        long heard = seen.stream().mapToLong(SeenCopy::term).max().orElse(0);
        return 1 + Math.max(heard, record.map(ClusterRecord::term).orElse(0L));
    }

    /** This node's, the others', and who is named besides. */
    private List<SeenCopy> seen(SeenCopy mine, Set<String> named) {
        List<SeenCopy> seen = new ArrayList<>(List.of(mine));
        others.forEach((name, look) -> seen.add(look(name, look)));
        for (String one : named) {
            if (!one.equals(node) && !others.containsKey(one)) {
                seen.add(SeenCopy.unreached(one, "no REPLICA line of this poolset file names it"));
            }
        }
        return seen;
    }

    private static SeenCopy look(String name, Supplier<ReplicaReport> look) {
        try {
            return SeenCopy.of(name, look.get());
        } catch (FarheapException e) {
            return SeenCopy.unreached(name, e.getMessage());
        }
    }

    /**
     * Does it. Cut anywhere, the same command comes to the same end.
     *
     * @throws FarheapException REPLICA where the record has changed since it was looked at;
     *     ENVIRONMENT where the store does not answer, and it is not known whether it is done
     */
    public void carryOut(Repair repair) {
        if (repair.isNeeded()) {
            write(repair.wanted(), repair.over());
        }
        if (repair.fences() && !goesOnByItself()) {
            own.fence(node, repair.wanted().term(), repair.wanted().number());
        }
    }

    /** This node's program takes over, which ends earlier writers' right to the copy as well. */
    private boolean goesOnByItself() {
        return store.present(keys.waiting(node)).isPresent()
                || store.present(keys.lead()).isPresent();
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

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
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
        return new DiscardedCopy(node, mine.text(), mine.uuid(), mine.holder(), one.term());
    }

    /** This node's copy may go: the writer brings it up to date as any other. */
    public void discard(DiscardedCopy copy) {
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

    private void requireTrusted(Versioned now, ClusterRecord record) {
        StoreTrust trust = new StoreTrust(node, own.stamps());
        if (!trust.isTrusted(now, Optional.of(record))) {
            throw FarheapException.badData("%s", trust.wentBack(now.stamp()));
        }
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
