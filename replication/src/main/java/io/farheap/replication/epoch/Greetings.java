package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.NotReachedException;
import io.farheap.replication.session.OverwriteRefusedException;
import io.farheap.replication.session.PoolIdentity;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.RunNumbers;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reaches the replicas of a pool: says hello to the agent, as who this pool is, and connects to
 * where it takes records. Thread-safe.
 */
final class Greetings {
    private static final Logger LOG = LoggerFactory.getLogger(Greetings.class);

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final AgentConnector connector;
    private final Fabrics fabrics;
    private final RecordedStep recorded;
    private final LongSupplier smallestImage;
    private final StagingMemory staging = new StagingMemory();
    private final ReentrantLock firstHellos = new ReentrantLock();

    /** By this agents know who left them behind. */
    private final AtomicReference<SessionOwner> owner = new AtomicReference<>(SessionOwner.fresh());

    /**
     * @param smallestImage bytes that each copy has room for which commits go to
     */
    Greetings(
            ReplicatedPool pool,
            ReplicationSettings settings,
            AgentConnector connector,
            Fabrics fabrics,
            RecordedStep recorded,
            LongSupplier smallestImage) {
        this.pool = pool;
        this.settings = settings;
        this.connector = connector;
        this.fabrics = fabrics;
        this.recorded = recorded;
        this.smallestImage = smallestImage;
    }

    /** The memory that records are posted from; its size is known once a member was attached. */
    StagingMemory staging() {
        return staging;
    }

    /**
     * What one is asked that is to take part in a switch.
     *
     * @param committed what was committed in the pool's number, if that is known
     */
    Request.Hello toAttach(ReplicaTracker copy, long next, long committed, AttachOptions options) {
        RemoteReplica remote = copy.remote();
        return PoolIdentity.of(pool)
                .hello(
                        Purpose.ATTACH,
                        remote.descriptor(),
                        pool.runId(),
                        next,
                        copy.bases().numbers(),
                        committed,
                        options.overwrite().contains(remote),
                        options.takeOver(),
                        owner.updateAndGet(SessionOwner::next),
                        fabrics.offeredTo(remote),
                        settings,
                        recorded.term())
                .ofRecord(recorded.recordId());
    }

    /**
     * The same after a look at a copy that the record names: a former writer's is greeted only when
     * it has become one of the set again.
     *
     * @param mode whether it has it become that, and greets whom that lacks something
     * @throws NotReachedException it is a former writer's, and has not; or it lacks something
     */
    ReplicaSession lookAndGreet(
            ReplicaTracker copy, Request.Hello hello, Deadline limit, SwitchMode mode)
            throws InterruptedException {
        Duration greeting = mode.greeting(settings.attachTimeout());
        if (!recorded.names(copy.remote()) && !mode.takesWholeOnly()) {
            return greet(copy, control -> {}, hello, limit, greeting);
        }
        try {
            return greet(
                    copy,
                    control -> requireFit(copy, control, mode.takesWholeOnly()),
                    hello,
                    limit,
                    greeting);
        } catch (FormerWritersCopyException e) {
            if (!mode.takesFormerWriters()) {
                throw e;
            }
            bringBack(copy, limit);
            return greet(copy, hello, limit);
        }
    }

    /**
     * Has it roll back what its program had not committed, and take records
     * (docs/high-availability.md#former-writer).
     *
     * @throws FormerWritersCopyException it stays what it was, or was not heard of
     */
    private void bringBack(ReplicaTracker copy, Deadline limit) throws InterruptedException {
        Request.Hello hello =
                PoolIdentity.of(pool)
                        .hello(
                                Purpose.RETURN,
                                copy.remote().descriptor(),
                                pool.runId(),
                                0,
                                List.of(),
                                SlotReport.NOT_KNOWN,
                                false,
                                true,
                                owner.updateAndGet(SessionOwner::next),
                                FabricKind.TCP_ONLY,
                                settings,
                                recorded.term())
                        .ofRecord(recorded.recordId());
        TakenTail tail = recorded.tail();
        try (ReplicaSession member = greet(copy, hello, limit)) {
            member.control().perform(new Request.Return(tail.applied(), tail.position()));
        } catch (PoolDeposedException e) {
            throw e;
        } catch (FarheapException e) {
            throw new FormerWritersCopyException(e);
        }
        LOG.info("{}: the former writer's copy {} is back", pool.poolsetFile(), copy.remote());
    }

    /**
     * @param limit of this and of all that follows
     * @throws PoolDeposedException when it has heard a writer of a later term
     */
    ReplicaSession greet(ReplicaTracker copy, Request.Hello hello, Deadline limit)
            throws InterruptedException {
        return greet(copy, control -> {}, hello, limit, settings.attachTimeout());
    }

    private ReplicaSession greet(
            ReplicaTracker copy,
            ReplicaSession.Look before,
            Request.Hello hello,
            Deadline limit,
            Duration greeting)
            throws InterruptedException {
        recorded.requireTerm();
        try {
            return ReplicaSession.greet(
                    connector,
                    copy.remote(),
                    copy.index(),
                    before,
                    hello,
                    settings,
                    limit,
                    greeting);
        } catch (RefusedException e) {
            if (e.code() == Reply.Code.TERM_OVER && recorded.isNeeded()) {
                throw recorded.depose(e.getMessage());
            }
            throw hello.overwrite() ? e : recorded.advised(e, copy.remote());
        }
    }

    /**
     * A former writer's copy, and one that lacks something where only whole ones are taken, are
     * left out of the switch. That shows before it is told a number, which could not be used then:
     * the others' agents would be started once more.
     */
    private void requireFit(ReplicaTracker copy, ControlClient control, boolean wholeOnly) {
        Reply.Verdict seen = control.hello(toLook(copy));
        boolean unknown = seen.slot() == null && seen.holder().isEmpty();
        boolean formerWriters =
                unknown || seen.slot() != null && seen.slot().state() == ReplicaState.PROMOTED;
        if (formerWriters && recorded.names(copy.remote())) {
            throw new FormerWritersCopyException(recorded.lacking(copy.remote()));
        }
        boolean lacks = formerWriters || seen.slot() != null && !isCurrent(copy, seen.slot());
        // A former writer may still copy to it: its right ends with the hello, as do its words.
        boolean isFree = seen.holder().isEmpty();
        if (wholeOnly && lacks && isFree && !isAnotherPools(seen)) {
            throw new LackingCopyException(recorded.broughtLater(copy.remote()));
        }
    }

    private boolean isCurrent(ReplicaTracker copy, SlotReport slot) {
        return slot.decisionOn(pool.runId(), copy.bases().numbers()) == AttachDecision.CURRENT;
    }

    /** Then the poolset files are wrong: the hello is said all the same, and that is refused. */
    private boolean isAnotherPools(Reply.Verdict seen) {
        if (seen.header().length() == 0) {
            return false;
        }
        PoolUuid there =
                new PoolHeader(MemorySegment.ofArray(seen.header().toByteArray())).poolsetUuid();
        return !there.isZero()
                && !there.equals(new PoolHeader(pool.headerTemplate()).poolsetUuid());
    }

    private Request.Hello toLook(ReplicaTracker copy) {
        return PoolIdentity.UNKNOWN.hello(
                Purpose.INSPECT,
                copy.remote().descriptor(),
                0,
                0,
                List.of(),
                SlotReport.NOT_KNOWN,
                false,
                false,
                SessionOwner.NONE,
                FabricKind.TCP_ONLY,
                settings);
    }

    /**
     * Reaches a replica that was left out, to copy the pool to it; on whatever thread.
     *
     * @throws FarheapException when it can't be reached, or must not be overwritten
     */
    ReplicaSession reachToCopy(ReplicaTracker copy, Request.Hello hello)
            throws InterruptedException {
        ReplicaSession member =
                copy.wasAsked() ? lookAndGreet(copy, hello) : greetFirst(copy, hello);
        boolean connected = false;
        try {
            if (!hello.overwrite()) {
                check(member);
            }
            recorded.requireOfThisRecord(member);
            requireNearNumber(member);
            if (member.verdict().kind() == AttachDecision.CURRENT) {
                throw member.fault(
                        "it has this pool's number though it was left out; look at its log");
            }
            connectData(member);
            connected = true;
            return member;
        } finally {
            if (!connected) {
                member.abandon();
            }
        }
    }

    /** One at a time: who has two names is not greeted by both. */
    private ReplicaSession greetFirst(ReplicaTracker copy, Request.Hello hello)
            throws InterruptedException {
        firstHellos.lockInterruptibly();
        try {
            return lookAndGreet(copy, hello);
        } finally {
            firstHellos.unlock();
        }
    }

    private ReplicaSession lookAndGreet(ReplicaTracker copy, Request.Hello hello)
            throws InterruptedException {
        return greet(
                copy,
                control -> requireApart(copy, control),
                hello,
                Deadline.NONE,
                settings.attachTimeout());
    }

    /**
     * What lies there is no member's (docs/protocol.md#look-first): the hello would end a member's
     * agent and prepare its slot for another number.
     */
    private void requireApart(ReplicaTracker copy, ControlClient control) {
        long before = pool.runId();
        Reply.Verdict seen = control.hello(toLook(copy));
        SlotReport slot = seen.slot();
        boolean mayLag = slot != null && slot.mayLag() && !copy.isNewcomer();
        if (slot != null && !mayLag && (has(slot, before) || has(slot, pool.runId()))) {
            throw new OverwriteRefusedException(
                    FarheapException.replica(
                            "replica %s: it has the number of the pool's members (%s): it is the same"
                                    + " place as a member, or a copy of its files; nothing was done"
                                    + " there: take its line out of %s and reload that, or see to it"
                                    + " that the line leads to a place of its own",
                            copy.remote(), pool.runId(), pool.poolsetFile()));
        }
        if (copy.isNewcomer()) {
            requireOfThisSize(copy, seen.imageSize());
            if (recorded.isNeeded() && slot != null) {
                requireOfThisRecord(copy, slot);
            }
        }
        if (!copy.wasAsked() && !seen.holder().isEmpty()) {
            throw new NotReachedException(
                    FarheapException.replica(
                            "replica %s: it is attached to %s, and is looked at again when that has"
                                    + " ended",
                            copy.remote(), seen.holder()));
        }
        copy.ask();
    }

    /**
     * The writer overwrites what its record does not name, and is deposed by who has heard a later
     * one: a line that leads to the wrong place is no reason for either.
     */
    private void requireOfThisRecord(ReplicaTracker copy, SlotReport slot) {
        String what;
        boolean differs = slot.recordId() != 0 && slot.recordId() != recorded.recordId();
        boolean empty = slot.state() == ReplicaState.NEW;
        if (differs && empty && recorded.recordId() != 0) {
            return; // what was to become a copy of another record has no content
        }
        if (differs && !empty) {
            what =
                    String.format(
                            "it is of another record (%016x), a writer of whose term %d it has heard,"
                                    + " and this writer's is %016x: what was committed there may be"
                                    + " nowhere else",
                            slot.recordId(), slot.term(), recorded.recordId());
        } else if (slot.term() > recorded.term()) {
            what =
                    String.format(
                            "it has heard a writer of term %d, and this one's is %d: it is of an"
                                    + " earlier record, or another writer has taken the pool over",
                            slot.term(), recorded.term());
        } else if (slot.state() == ReplicaState.PROMOTED && slot.term() == 0
                || slot.state() == ReplicaState.INSYNC && slot.foreignOpen()) {
            what =
                    "it is a pool of its own, which was promoted past the record, or a program has"
                            + " opened it past the agent: what was committed there may be nowhere"
                            + " else";
        } else {
            return;
        }
        throw new OverwriteRefusedException(
                FarheapException.replica(
                        "replica %s: %s; nothing was done there: take its line out of %s and reload"
                                + " that, or see to it that the line leads to a place of its own",
                        copy.remote(), what, pool.poolsetFile()));
    }

    /**
     * What is smaller can't hold the pool. Under a record what is larger may be the writer's one
     * day, and the others can't hold its image then: it has no more than the smallest of them.
     * Elsewhere a larger one is what it is at open: room for a pool that grows.
     */
    private void requireOfThisSize(ReplicaTracker copy, long bytes) {
        long least = pool.image().byteSize();
        long most = recorded.isNeeded() ? smallestImage.getAsLong() : Long.MAX_VALUE;
        if (bytes < least || bytes > most) {
            throw new OverwriteRefusedException(
                    FarheapException.replica(
                            "replica %s: its parts have room for %d bytes, and %s for %d; nothing was"
                                    + " done there: take its line out of %s and reload that, then"
                                    + " write a poolset with parts of the pool's sizes beside it,"
                                    + " and name that",
                            copy.remote(),
                            bytes,
                            bytes < least ? "the pool wants room" : "another copy has room",
                            bytes < least ? least : most,
                            pool.poolsetFile()));
        }
    }

    private static boolean has(SlotReport slot, long number) {
        return slot.cur() == number || slot.next() == number;
    }

    private void check(ReplicaSession member) {
        try {
            AttachDecisions.check(pool, member, AttachOptions.NONE);
        } catch (OverwriteRefusedException e) {
            throw recorded.refusal(e, member);
        }
    }

    /**
     * Reaches a member of the epoch under way that was lost, whose earlier connection its agent
     * destroys.
     *
     * @throws FarheapException when it was not reached, or is not this epoch's any more
     */
    ReplicaSession reachAgain(ReplicaTracker copy) throws InterruptedException {
        Request.Hello hello =
                PoolIdentity.of(pool)
                        .hello(
                                Purpose.RESUME,
                                copy.remote().descriptor(),
                                pool.runId(),
                                0,
                                List.of(),
                                SlotReport.NOT_KNOWN,
                                false,
                                false,
                                owner.updateAndGet(SessionOwner::next),
                                fabrics.offeredTo(copy.remote()),
                                settings,
                                recorded.term())
                        .ofRecord(recorded.recordId());
        ReplicaSession member = greet(copy, hello, Deadline.in(settings.patienceWithResumption()));
        boolean connected = false;
        try {
            if (member.verdict().kind() == AttachDecision.CURRENT) {
                connectData(member);
            }
            member.within(Deadline.NONE);
            connected = true;
            return member;
        } finally {
            if (!connected) {
                member.abandon();
            }
        }
    }

    void connectData(ReplicaSession member) throws InterruptedException {
        staging.fit(member);
        member.connectData(connector, fabrics, staging.memory());
    }

    /** The pool's number goes beyond all others: a lie must not push it to the end of numbers. */
    void requireNearNumber(ReplicaSession member) {
        long number = largestNumber(member);
        if (!RunNumbers.isNear(number, pool.runId())) {
            throw member.fault(
                    "it claims the number "
                            + number
                            + ", which is too far from the pool's "
                            + pool.runId()
                            + "; "
                            + recorded.overwriting(member.replica()));
        }
    }

    static long largestNumber(ReplicaSession member) {
        SlotReport slot = member.verdict().slot();
        return Math.max(slot.cur(), slot.next());
    }

    void close() {
        staging.close();
    }
}
