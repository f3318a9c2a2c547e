package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.SwitchRecorder.Answer;
import io.farheap.replication.epoch.SwitchRecorder.Kind;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.OverwriteRefusedException;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The step of a switch between the preparation of all members and the pool's new number
 * (docs/high-availability.md#the-recorded-switch), and what follows where its outcome is not known:
 * no other number is thought of until it is. For the thread that switches; {@link #deposed} is for
 * any.
 */
final class RecordedStep {
    private static final Logger LOG = LoggerFactory.getLogger(RecordedStep.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

    /** {@code farheap sync} refuses a pool that has a record. */
    private static final String MADE_ANEW =
            "if that is no copy that counts, move all its files to another directory of the target:"
                    + " the writer makes the replica anew by itself once the record names it no more";

    private final SwitchRecorder recorder;
    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private volatile PoolDeposedException deposed;

    /** What was asked for and is not confirmed by all yet; 0: nothing. */
    private long asked;

    private List<ReplicaTracker> askedFor = List.of();
    private boolean recorded;
    private String lastWord = "";

    RecordedStep(SwitchRecorder recorder, ReplicatedPool pool, ReplicationSettings settings) {
        this.recorder = recorder;
        this.pool = pool;
        this.settings = settings;
    }

    /** Whether anybody is told. */
    boolean isNeeded() {
        return recorder.term() != 0;
    }

    long term() {
        return recorder.term();
    }

    /** Of the record that the term is of. */
    long recordId() {
        return recorder.recordId();
    }

    int minCopies() {
        return recorder.minCopies();
    }

    /**
     * @throws FarheapException WRONG_USE where one of them can't be recorded
     */
    void requireRecordable(List<RemoteReplica> remotes) {
        if (isNeeded()) {
            recorder.replicas(remotes);
        }
    }

    /**
     * @throws FarheapException a switch would not be recorded now
     */
    void requireRecording() {
        if (isNeeded()) {
            recorder.requireRecording();
        }
    }

    /** What the pool's own copy had replayed before the first switch. */
    TakenTail tail() {
        return recorder.tail();
    }

    /**
     * @throws FarheapException when the copy may have to take over as it is
     */
    void requireUnnamed(ReplicaSession member) {
        if (names(member.replica())) {
            throw lacking(member.replica());
        }
    }

    boolean names(RemoteReplica replica) {
        return isNeeded() && recorder.names(replica);
    }

    /** Whether the record was made for this opening. */
    boolean isNew() {
        return recorder.isNew();
    }

    /** Of one that the pool is opened without. */
    FarheapException broughtLater(RemoteReplica replica) {
        return FarheapException.replica(
                "replica %s: it lacks something, and the pool is not kept waiting for what has to be"
                        + " copied: it is brought up to date while the pool is open",
                replica);
    }

    FarheapException lacking(RemoteReplica replica) {
        return FarheapException.replica(
                "replica %s: it lacks something, and the record names its copy: it is brought up to"
                        + " date once the record names it no more",
                replica);
    }

    /**
     * Where a record says which copies count, no person is asked to decide between two: what the
     * advice would overwrite may be another writer's pool.
     */
    OverwriteRefusedException refusal(OverwriteRefusedException why, ReplicaSession member) {
        return !isNeeded()
                ? why
                : new OverwriteRefusedException(
                        member.fault(
                                "it is a former writer's, or of another history: the record decides"
                                        + " what becomes of it, and the writer brings it up to date"
                                        + " by itself once the record names it no more"));
    }

    /**
     * Before content is given up that nothing but this record's word allows to overwrite: its
     * copies alone are under its word. An agent that knows of no records' ids would let any be
     * overwritten.
     *
     * @throws OverwriteRefusedException the copy is not known to be this record's
     */
    void requireOfThisRecord(ReplicaSession member) {
        SlotReport slot = member.verdict().slot();
        if (isNeeded()
                && slot.mayHaveMore(member.verdict().kind())
                && slot.recordId() != recordId()) {
            String what =
                    String.format(
                            "its agent does not say that it is a copy of this record (term %d of"
                                    + " %016x; the copy: number %d, term %d of %016x), so what it"
                                    + " has may be nowhere else; nothing was done there: upgrade"
                                    + " the agent there if it is an earlier release's, else compare"
                                    + " the copy with the pool, and move its files to another"
                                    + " directory to have it made anew",
                            term(), recordId(), slot.cur(), slot.term(), slot.recordId());
            throw new OverwriteRefusedException(member.fault(what));
        }
    }

    /** A refusal with what a person can do about it here. */
    RefusedException advised(RefusedException refused, RemoteReplica replica) {
        if (!isNeeded()) {
            return AttachDecisions.advised(pool.poolsetFile(), replica, refused);
        }
        return switch (refused.code()) {
            case DAMAGED, EXISTS -> refused.with(MADE_ANEW);
            default -> refused;
        };
    }

    /** What is to be done to keep the local pool where a replica can't be what it says. */
    String overwriting(RemoteReplica replica) {
        return isNeeded() ? MADE_ANEW : AttachDecisions.overwriting(pool.poolsetFile(), replica);
    }

    /** At open: what is recorded and not yet the pool's number becomes that. */
    void adopt() {
        recorder.namedBeside().ifPresent(said -> LOG.warn("{}: {}", pool.poolsetFile(), said));
        if (isNeeded() && pool.runId() != recorder.number()) {
            pool.switchRunId(recorder.number());
        }
    }

    /**
     * A copy that the record does not name is of no use to anybody: whatever it holds, the recorded
     * writer may overwrite it, without a person's order.
     */
    AttachOptions toBringBack(ReplicaTracker copy) {
        return !isNeeded() || copy.isAsync() || recorder.names(copy.remote())
                ? AttachOptions.NONE
                : AttachOptions.NONE.overwriting(Set.of(copy.remote()));
    }

    /**
     * All such copies, for a pool that can't be opened without one of them; none where one of them
     * may be named.
     *
     * @param said what is ordered besides
     */
    AttachOptions toBringBack(List<ReplicaTracker> copies, AttachOptions said) {
        if (recorder.namedBeside().isPresent()) {
            return said; // what looks unnamed may be the last named copy, by another name
        }
        Set<RemoteReplica> unnamed =
                copies.stream()
                        .filter(copy -> !copy.isAsync() && !recorder.names(copy.remote()))
                        .map(ReplicaTracker::remote)
                        .collect(Collectors.toSet());
        return said.overwriting(unnamed);
    }

    /** Whose copies the record may name, for as long as the switch that named them is not done. */
    List<ReplicaTracker> named() {
        return askedFor;
    }

    /** How long it takes at most before it is given up for a while. */
    Duration bound() {
        return isNeeded() ? settings.commitTimeout() : Duration.ZERO;
    }

    /** Whether there are enough copies with a former writer's only, if the record names one. */
    boolean needsFormerWriter(List<ReplicaTracker> copies) {
        long named =
                copies.stream().filter(copy -> !copy.isAsync() && names(copy.remote())).count();
        return isNeeded() && !hasEnough(named - 1);
    }

    boolean hasEnough(long members) {
        return 1 + members >= recorder.minCopies();
    }

    /**
     * @param members replicas that were reached, without those that may lag
     * @param absent the others, for what is said of them
     * @throws FarheapException when the pool must not go on with so few
     */
    void requireEnough(long members, List<ReplicaTracker> absent) {
        if (!hasEnough(members)) {
            String missing =
                    absent.stream()
                            .filter(copy -> !copy.isAsync())
                            .map(copy -> "; " + copy.absence())
                            .collect(Collectors.joining());
            String beside = recorder.namedBeside().map(said -> "; " + said).orElse("");
            throw new TooFewCopiesException(
                    FarheapException.replica(
                            "%s: %s of its copies %s there, this one among them, and commits want"
                                    + " min-copies = %s of them: they go on when enough are back; if a"
                                    + " copy is lost for good, close the pool and open it again with"
                                    + " another one in its place%s%s",
                            pool.poolsetFile(),
                            1 + members,
                            members == 0 ? "is" : "are",
                            recorder.minCopies(),
                            beside,
                            missing));
        }
    }

    /**
     * Before another number is thought of: what was asked for is settled, and where it is recorded
     * the pool has it (docs/high-availability.md#settle-first).
     *
     * @throws FarheapException when that is not known yet
     */
    void settleEarlier(SwitchMode mode) throws InterruptedException {
        requireTerm();
        if (asked == 0) {
            return;
        }
        if (!recorded && !isRecorded(recorder::settle)) {
            forget();
            return;
        }
        recorded = true;
        if (pool.runId() != asked) {
            pool.switchRunId(asked);
        }
        mode.switched(asked);
        for (ReplicaTracker copy : askedFor) {
            copy.equalIn(asked);
        }
        forget();
    }

    private void forget() {
        asked = 0;
        askedFor = List.of();
        recorded = false;
    }

    /** All have confirmed what is recorded. */
    void done() {
        forget();
    }

    /**
     * Records the switch to a number.
     *
     * @param members all are prepared for it
     * @throws FarheapException when it is not recorded, or not known to be
     */
    void record(long number, List<ReplicaTracker> members) throws InterruptedException {
        if (!isNeeded()) {
            return;
        }
        recorder.prepare(pool.runId(), number);
        List<ReplicaTracker> named = members.stream().filter(copy -> !copy.isAsync()).toList();
        List<RemoteReplica> remotes = named.stream().map(ReplicaTracker::remote).toList();
        asked = number;
        askedFor = named;
        if (!isRecorded(() -> recorder.record(remotes, number))) {
            forget();
            throw FarheapException.replica(
                    "%s: the switch to other replicas is not recorded: %s",
                    pool.poolsetFile(), lastWord);
        }
        recorded = true;
    }

    private interface Asking {
        Answer answer();
    }

    /**
     * Asks until that is known, within the bound.
     *
     * @throws FarheapException when it is not known then
     */
    private boolean isRecorded(Asking first) throws InterruptedException {
        Deadline end = Deadline.in(bound());
        Duration pause = FIRST_PAUSE;
        Answer answer = first.answer();
        while (answer.kind() == Kind.UNSETTLED) {
            if (end.isOver()) {
                throw FarheapException.replica(
                        "%s: it is not known whether the switch to other replicas is recorded,"
                                + " which is asked again: %s",
                        pool.poolsetFile(), answer.why());
            }
            Thread.sleep(end.left(pause).toMillis() + 1);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(settings.longestPause()) > 0 ? settings.longestPause() : pause;
            answer = recorder.settle();
        }
        if (answer.kind() == Kind.OVER) {
            throw depose(answer.why());
        }
        lastWord = answer.why();
        return answer.kind() == Kind.RECORDED;
    }

    /**
     * Another writer has taken the pool over: from now on there is no switch any more. On any
     * thread.
     *
     * @param why names that one as far as it is known
     */
    synchronized PoolDeposedException depose(String why) {
        if (deposed == null) {
            deposed = new PoolDeposedException(pool.poolsetFile().toString(), term(), why);
            recorder.over(deposed);
        }
        return deposed;
    }

    /** Why nothing may be committed any more; null: it may. */
    PoolDeposedException deposed() {
        return deposed;
    }

    /**
     * @throws PoolDeposedException when the term is over
     */
    void requireTerm() {
        PoolDeposedException why = deposed;
        if (why != null) {
            throw why;
        }
    }
}
