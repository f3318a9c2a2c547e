package io.farheap.availability;

import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.epoch.TakenTail;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The switches of one writer in one term, written to the pool's record
 * (docs/high-availability.md#the-recorded-switch). The record is this writer's: it was created or
 * taken over by the same {@link PoolRecord}.
 */
final class RecordedSwitches implements SwitchRecorder {
    private final PoolRecord record;
    private final TermFile own;
    private final Function<List<RemoteReplica>, Plan> plans;
    private volatile Plan plan;
    private final long term;
    private final long recordId;
    private final TakenTail tail;
    private final boolean created;
    private final Consumer<PoolDeposedException> deposed;

    /** Whom the record names, or may name while a request is not settled. */
    private SortedSet<String> named;

    /** Of the last switch that is known to be recorded. */
    private long recorded;

    /** What was asked for last; 0: nothing. */
    private long asked;

    /**
     * How one node sees a pool's copies.
     *
     * @param node this one
     * @param nodes whose copy each remote replica is
     * @param minCopies the least number of copies that commits must be durable in
     */
    record Plan(String node, Map<RemoteReplica, String> nodes, int minCopies) {
        Plan {
            nodes = Map.copyOf(nodes);
        }
    }

    /**
     * @param tail what this node's copy had when it took over
     */
    RecordedSwitches(PoolRecord record, TermFile own, Plan plan, TakenTail tail) {
        this(record, own, plan, remotes -> plan, tail, false, why -> {});
    }

    /**
     * @param plans of replicas that the pool has later
     * @param tail what this node's copy had when it took over
     * @param created it was this opening that made the record
     * @param deposed is told when another writer has taken the pool over, on any thread
     */
    RecordedSwitches(
            PoolRecord record,
            TermFile own,
            Plan plan,
            Function<List<RemoteReplica>, Plan> plans,
            TakenTail tail,
            boolean created,
            Consumer<PoolDeposedException> deposed) {
        ClusterRecord mine = record.mine().orElseThrow();
        this.record = record;
        this.own = own;
        this.plan = plan;
        this.plans = plans;
        this.tail = tail;
        this.created = created;
        this.deposed = deposed;
        this.term = mine.term();
        this.named = mine.set();
        this.recorded = mine.number();
        this.recordId = mine.id();
        own.raise(term, recordId);
    }

    @Override
    public long term() {
        return term;
    }

    @Override
    public long recordId() {
        return recordId;
    }

    @Override
    public int minCopies() {
        return plan.minCopies();
    }

    @Override
    public boolean isNew() {
        return created;
    }

    @Override
    public TakenTail tail() {
        return tail;
    }

    @Override
    public boolean names(RemoteReplica replica) {
        return named.contains(nodeOf(replica));
    }

    @Override
    public Optional<String> namedBeside() {
        Plan now = plan;
        TreeSet<String> beside = new TreeSet<>(named);
        beside.remove(now.node());
        beside.removeAll(now.nodes().values());
        return beside.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        String.format(
                                "the record names %s, and the nodes of the REPLICA lines here are"
                                        + " %s: a line may lead to a copy that the record names by"
                                        + " another name, so nothing is overwritten before another"
                                        + " switch is recorded; where one does, say that name"
                                        + " (mate); where none does, move the files aside of a copy"
                                        + " that is to be made anew",
                                named, new TreeSet<>(now.nodes().values())));
    }

    private String nodeOf(RemoteReplica replica) {
        return requireNode(plan, replica);
    }

    private static String requireNode(Plan plan, RemoteReplica replica) {
        String node = plan.nodes().get(replica);
        if (node == null) {
            throw FarheapException.wrongUse(
                    "The replica %s has no node's name: name the node of each replica of a pool"
                            + " under automatic fail-over.",
                    replica);
        }
        return node;
    }

    @Override
    public long number() {
        return recorded;
    }

    @Override
    public void replicas(List<RemoteReplica> all) {
        Plan now = plans.apply(all);
        all.forEach(replica -> requireNode(now, replica));
        plan = now;
    }

    /** A record that is another's is for {@link #record} to find. */
    @Override
    public void requireRecording() {
        if (record.isSettled()) {
            Optional<ClusterRecord> unused = record.look();
        }
    }

    @Override
    public void prepare(long current, long next) {
        own.prepare(current, next);
    }

    @Override
    public Answer record(List<RemoteReplica> members, long next) {
        SortedSet<String> wanted = new TreeSet<>();
        wanted.add(plan.node());
        members.forEach(member -> wanted.add(nodeOf(member)));
        asked = next;
        SortedSet<String> either = new TreeSet<>(named);
        either.addAll(wanted);
        named = either;
        try {
            return answer(record.record(wanted, next));
        } catch (StoreUnavailableException e) {
            return new Answer(Kind.NOT_RECORDED, e.getMessage());
        }
    }

    @Override
    public Answer settle() {
        if (!record.isSettled()) {
            return answer(record.settle());
        }
        Optional<ClusterRecord> mine = record.mine();
        if (mine.isEmpty()) {
            return new Answer(Kind.OVER, "the record is another's");
        }
        return mine.get().number() == asked
                ? recorded(mine.get().toString())
                : new Answer(Kind.NOT_RECORDED, "the record is " + mine.get());
    }

    @Override
    public void over(PoolDeposedException why) {
        deposed.accept(why);
    }

    private Answer answer(RecordOutcome outcome) {
        if (outcome.kind() == RecordOutcome.Kind.RECORDED) {
            return recorded(outcome.why());
        }
        if (outcome.kind() == RecordOutcome.Kind.OVER) {
            return new Answer(Kind.OVER, outcome.why());
        }
        // A store that went back answers nothing about a request that is under way.
        return new Answer(record.isSettled() ? Kind.NOT_RECORDED : Kind.UNSETTLED, outcome.why());
    }

    private Answer recorded(String why) {
        ClusterRecord mine = record.mine().orElseThrow();
        named = mine.set();
        recorded = mine.number();
        return new Answer(Kind.RECORDED, why);
    }
}
