package io.farheap.availability;

import io.farheap.agent.Promotion;
import io.farheap.availability.RecordOutcome.Kind;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AgentConnector;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.spi.ReplicatedPool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One node's turn to write a pool (docs/high-availability.md#take-over): the record names it, its
 * copy listens to no earlier writer any more, and the pool that is opened from it records its first
 * switch before anything is committed, or a node that the record still names could take over
 * without that (docs/high-availability.md#record-before-open). Whether it is time for that somebody
 * else decides.
 *
 * <p>Not thread-safe; for one opening.
 */
class WritersTurn {
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** Of a pool that was never open; its own is 0 until then. */
    private static final long FIRST_NUMBER = 2;

    private final PoolRecord record;
    private final RecordedSwitches.Plan plan;
    private final ReplicationSettings settings;
    private final Promotion copy;
    private final TermFile own;
    private TakenTail tail = TakenTail.NONE;

    /** The slot of a copy that was this node's to write before; null: it was not. */
    private SlotReport owned;

    private TakenTail ownTail = TakenTail.NONE;

    /**
     * @param record of the pool, as this node changes it
     * @param copy the poolset file of this node's copy, with its local parts only
     * @param own beside that copy
     */
    WritersTurn(
            PoolRecord record,
            RecordedSwitches.Plan plan,
            ReplicationSettings settings,
            Promotion copy,
            TermFile own) {
        this.record = record;
        this.plan = plan;
        this.settings = settings;
        this.copy = copy;
        this.own = own;
    }

    /**
     * Opens the pool in the next term.
     *
     * @param opening opens it from the poolset file that names the other nodes' copies
     * @throws FarheapException category REPLICA when this node's copy must not take over as the
     *     record is now, or another node was faster; nothing but the record has changed then
     */
    <T> T open(Supplier<T> opening) {
        if (copy.hasJournal()) {
            takeReplica();
        }
        return recorded(false, opening);
    }

    /**
     * The same of a pool that the opening makes, or that is there, and of which there is no record
     * yet.
     *
     * @throws FarheapException category WRONG_USE when what is there is a replica, or one of a set
     *     that another record has: what it has in its journal only would be lost
     */
    <T> T create(Supplier<T> opening) {
        if (copy.hasJournal()) {
            SlotReport slot = slot();
            if (slot.state() != ReplicaState.PROMOTED || slot.term() != 0) {
                throw FarheapException.wrongUse(
                        "%s is a replica (%s), and records that it has got may not be in its files"
                                + " yet: make it a pool of its own first, if it is the copy that"
                                + " counts: farheap promote%s, with the poolset file of the copy;"
                                + " nothing was changed",
                        copy.firstPart(),
                        slot.state(),
                        slot.term() == 0 ? "" : " --despite-record");
            }
        }
        return recorded(true, opening);
    }

    private <T> T recorded(boolean created, Supplier<T> opening) {
        Recorded replicas = new Recorded(created);
        T opened = ClassPathReplicas.replacedBy(replicas, opening);
        if (!replicas.attached) {
            throw new IllegalStateException(
                    "what was opened names no other node's copy, and so it is not recorded");
        }
        return opened;
    }

    private void takeReplica() {
        SlotReport slot = slot();
        if (slot.state() == ReplicaState.PROMOTED) {
            ownTail = copy.replayedTail(plan.node());
            owned = slot();
            if (owned.state() != ReplicaState.PROMOTED) {
                throw FarheapException.replica(
                        "%s: another writer has had the copy of %s meanwhile",
                        copy.firstPart(), plan.node());
            }
            return;
        }
        boolean whole = slot.state() == ReplicaState.INSYNC && !slot.mayLag();
        take(
                slot.foreignOpen()
                        ? new OwnCopy(false, 0, 0)
                        : new OwnCopy(whole, slot.cur(), slot.next(), slot.recordId()));
        ClusterRecord mine = record.mine().orElseThrow();
        tail = copy.takeOver(plan.node(), mine.term(), mine.id(), mine.number());
    }

    private SlotReport slot() {
        SlotReport slot = copy.look().slot();
        if (slot == null) {
            throw FarheapException.badData(
                    "%s: the copy of %s can't take over, for nobody knows what it has: its journal"
                            + " can't be read",
                    copy.firstPart(), plan.node());
        }
        return slot;
    }

    /** What an earlier attempt had replayed, if nothing has been recorded since. */
    private TakenTail earlierTail(long number) {
        return owned == null || owned.cur() != number ? TakenTail.NONE : ownTail;
    }

    /** It was before nobody else could have its files any more. */
    private void requireStillOwned() {
        if (copy.hasJournal() && slot().state() != ReplicaState.PROMOTED) {
            throw FarheapException.replica(
                    "%s: another writer has had the copy of %s meanwhile",
                    copy.firstPart(), plan.node());
        }
    }

    private void take(OwnCopy found) {
        require(record.takeOver(found));
        keepTerm();
    }

    private void keepTerm() {
        ClusterRecord mine = record.mine().orElseThrow();
        own.raise(mine.term(), mine.id());
    }

    private void require(RecordOutcome first) {
        Deadline end = Deadline.in(settings.attachTimeout());
        RecordOutcome outcome = first;
        while (outcome.kind() == Kind.UNSETTLED && !end.isOver()) {
            pause();
            outcome = record.settle();
        }
        if (outcome.kind() != Kind.RECORDED) {
            throw FarheapException.replica("%s", outcome.why());
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.replica(e, "interrupted while the store was asked");
        }
    }

    /**
     * The plan for what is being opened; asked before anything depends on it.
     *
     * @throws FarheapException WRONG_USE where there can be none
     */
    RecordedSwitches.Plan planFor(ReplicatedPool pool) {
        return plan;
    }

    /**
     * The plan for what is open with other replicas. Does not block: commits may wait.
     *
     * @throws FarheapException WRONG_USE where there can be none
     */
    RecordedSwitches.Plan planFor(ReplicatedPool pool, List<RemoteReplica> remotes) {
        return plan;
    }

    /** Another node has taken over; on any thread. */
    void deposed(PoolDeposedException why) {
        // Commits throw it.
    }

    /** Attaches the replicas; commits may begin on return. */
    ReplicaSink attach(ReplicatedPool pool, SwitchRecorder recorder) {
        ReplicationSettings ofPool = settingsOf(pool);
        return RemoteReplication.attach(
                pool, AttachOptions.NONE, ofPool, AgentConnector.of(ofPool), recorder);
    }

    private static ReplicationSettings settingsOf(ReplicatedPool pool) {
        return ReplicationSettings.of(pool.poolsetFile(), pool.settings());
    }

    /** Attaches the replicas of a pool whose switches are recorded. */
    private final class Recorded implements ReplicaSinkProvider {
        private final boolean created;
        private boolean attached;
        private final RemoteReplication replication = new RemoteReplication();

        Recorded(boolean created) {
            this.created = created;
        }

        /** The pool is open here, and nobody else on this node has its files. */
        @Override
        public ReplicaSink attach(ReplicatedPool pool) {
            attached = true;
            RecordedSwitches.Plan ofPool = planFor(pool);
            if (created) {
                RemoteReplication.requireComparable(pool, settingsOf(pool));
                long number = Math.max(pool.runId(), FIRST_NUMBER);
                own.prepare(pool.runId(), number);
                require(record.create(number, 0));
                keepTerm();
            } else if (record.mine().isEmpty()) {
                requireStillOwned();
                long number = pool.runId();
                take(new OwnCopy(true, number, own.nextOf(number), own.recordId()));
                tail = earlierTail(record.mine().orElseThrow().number());
            }
            return WritersTurn.this.attach(
                    pool,
                    new RecordedSwitches(
                            record,
                            own,
                            ofPool,
                            remotes -> planFor(pool, remotes),
                            tail,
                            created,
                            WritersTurn.this::deposed));
        }

        /** It would get a number that no record has, and could not be opened any more. */
        @Override
        public void goesAlone(Path pool) {
            throw FarheapException.wrongUse(
                    "%s names no other node's copy, and a pool under automatic fail-over has one at"
                            + " least: have the opening name the poolset file that has the REPLICA"
                            + " lines, or add a line REPLICA HOST POOLSET for another node's copy;"
                            + " a pool that stays on one node is opened without HighAvailability;"
                            + " nothing was opened",
                    pool);
        }

        @Override
        public void requireAbsent(
                Path poolset, List<RemoteReplica> remotes, Map<String, String> said) {
            replication.requireAbsent(poolset, remotes, said);
        }

        @Override
        public void discard(
                Path poolset,
                PoolUuid uuid,
                List<RemoteReplica> remotes,
                Map<String, String> said,
                Throwable failure) {
            replication.discard(poolset, uuid, remotes, said, failure);
        }
    }
}
