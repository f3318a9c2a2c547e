package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.control.VerdictKind;
import io.farheap.replication.fabric.Fabric;
import io.farheap.spi.ReplicatedPool;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * The switch to a new epoch, one procedure for open, re-attach and join (protocol, section 4):
 * every member is prepared before the pool's number changes, and confirmed after it, before the
 * first commit. A crash of either side after any step leaves what the next switch recognises.
 *
 * <p>Precondition: no record is on its way, and nobody is between the claim of one and its local
 * fate. When a member fails, all are let go and the whole is to be done again, with a new number.
 */
final class EpochSwitch {
    private static final int ATTEMPTS = 3;

    private final ReplicatedPool pool;
    private final PoolIdentity identity;
    private final ReplicationSettings settings;
    private final AgentConnector connector;
    private final Fabric fabric;
    private final RandomGenerator random;
    private final StagingMemory staging = new StagingMemory();

    /** What went to members that were let go. */
    private final AtomicLong earlierBytes = new AtomicLong();

    EpochSwitch(
            ReplicatedPool pool,
            ReplicationSettings settings,
            AgentConnector connector,
            Fabric fabric,
            RandomGenerator random) {
        this.pool = pool;
        this.identity = PoolIdentity.of(pool);
        this.settings = settings;
        this.connector = connector;
        this.fabric = fabric;
        this.random = random;
    }

    /** What is done about a recognised member's tail (step 3). */
    private interface Reconciliation {
        void apply(Member member);
    }

    /** Whether a member may be attached at all. */
    private interface Admission {
        void check(Member member);
    }

    /** The memory that records are posted from; its size is known once a member was attached. */
    StagingMemory staging() {
        return staging;
    }

    /**
     * At open: whatever the tails hold, the replicas get the local content; new ones get all of it.
     *
     * @return the members of the epoch that is now {@code pool.runId()}, confirmed
     */
    List<Member> atOpen(AttachOptions options) throws InterruptedException {
        return run(
                options,
                member -> Verdicts.check(pool, member, options),
                member -> member.reconcile(pool.image()));
    }

    /**
     * In the same run: each replica applies the records that were committed and drops the others.
     *
     * @param committed by the number of an epoch, its last committed sequence number
     */
    List<Member> inProcess(Map<Long, Long> committed) throws InterruptedException {
        return run(
                AttachOptions.NONE,
                member -> {
                    SlotReport slot = member.verdict().slot();
                    if (member.verdict().kind() != VerdictKind.RECOGNISED
                            || !committed.containsKey(slot.journalEpoch())) {
                        throw Verdicts.changedMeanwhile(pool, member);
                    }
                },
                member -> member.drain(committed.get(member.verdict().slot().journalEpoch())));
    }

    /** Ends the members' connections without a word. */
    void letGo(List<Member> members) {
        for (Member member : members) {
            earlierBytes.getAndAdd(member.bytesSent());
            member.abandon();
        }
    }

    /**
     * Bytes that went over data connections, framing included, since this was made.
     *
     * @param members those not let go
     */
    long bytesSent(List<Member> members) {
        return earlierBytes.get() + members.stream().mapToLong(Member::bytesSent).sum();
    }

    private List<Member> run(
            AttachOptions options, Admission admission, Reconciliation reconciliation)
            throws InterruptedException {
        long above = pool.runId();
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            long next = RunNumbers.fresh(above, random);
            List<Member> members = greetAll(next, options);
            boolean switched = false;
            try {
                members.forEach(admission::check);
                above = Math.max(above, largestNumber(members));
                if (above < next) {
                    switchTo(next, members, options, reconciliation);
                    switched = true;
                    return members;
                }
            } finally {
                if (!switched) {
                    letGo(members);
                }
            }
        }
        throw new FarheapException(
                FarheapException.Category.REPLICA,
                pool.poolsetFile()
                        + ": the replicas' numbers changed in every attempt to attach them; end"
                        + " the other program that attaches them");
    }

    private List<Member> greetAll(long next, AttachOptions options) throws InterruptedException {
        List<RemoteReplica> remotes = pool.remotes();
        Member[] reached = new Member[remotes.size()];
        boolean complete = false;
        try {
            Parallel.forEach(
                    reached.length,
                    index -> {
                        RemoteReplica remote = remotes.get(index);
                        Request.Hello hello = hello(remote, next, options);
                        reached[index] = Member.greet(connector, remote, index, hello, settings);
                    });
            complete = true;
            return List.of(reached);
        } finally {
            if (!complete) {
                Arrays.stream(reached).filter(Objects::nonNull).forEach(Member::abandon);
            }
        }
    }

    private Request.Hello hello(RemoteReplica remote, long next, AttachOptions options) {
        return identity.hello(
                Purpose.ATTACH,
                remote.descriptor(),
                pool.runId(),
                next,
                options.overwrite().contains(remote),
                options.takeOver(),
                settings);
    }

    private static long largestNumber(List<Member> members) {
        long largest = 0;
        for (Member member : members) {
            SlotReport slot = member.verdict().slot();
            largest = Math.max(largest, Math.max(slot.cur(), slot.next()));
        }
        return largest;
    }

    private void switchTo(
            long next, List<Member> members, AttachOptions options, Reconciliation reconciliation)
            throws InterruptedException {
        staging.fit(members);
        Parallel.forEach(
                members.size(),
                index -> {
                    Member member = members.get(index);
                    member.connectData(connector, fabric, staging.memory());
                    if (member.verdict().kind() == VerdictKind.RECOGNISED) {
                        reconciliation.apply(member);
                        member.prepare();
                    } else {
                        member.copyAll(pool, next, options);
                    }
                });
        pool.switchRunId(next);
        Parallel.forEach(members.size(), index -> members.get(index).confirm(next));
    }
}
