package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.MemberImage;
import io.farheap.replication.session.NotReachedException;
import io.farheap.replication.session.OverwriteRefusedException;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.RunNumbers;
import io.farheap.replication.session.SharedBytes;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The switch at open: nothing is under way, so the local content goes wherever it is missing. */
final class SwitchAtOpen implements SwitchMode {
    private static final Logger LOG = LoggerFactory.getLogger(SwitchAtOpen.class);

    /**
     * Without a word for so long, a machine is not there: nobody commits while it is waited for,
     * and it is brought up to date when it is back.
     */
    private static final Duration SILENT = Duration.ofSeconds(6);

    private static final Duration NO_LIMIT = Duration.ofDays(1);

    /** How much is done for copies, and how long is waited for them. */
    enum Patience {
        /** Of a pool without a record. */
        USUAL,
        /** Who does not answer soon, or has a former writer's copy, is done without. */
        LITTLE,
        /** There are too few without a former writer's copy, if there is one. */
        FORMER_WRITER_TOO,
        /** There are too few: whatever brings one back. */
        ALL_IT_TAKES,
        /** The same, after former writers' copies were waited for in vain: not a second time. */
        ALL_BUT_FORMER_WRITERS
    }

    private final ReplicatedPool pool;
    private final AttachOptions options;
    private final Consumer<ReplicaTracker> syncBegun;
    private final RecordedStep recorded;
    private final Patience patience;

    /** Whoever lacks something is brought up to date while the pool is open. */
    private final boolean wholeOnly;

    /** Of whole ones, those that the pool can't be opened without. */
    private final Set<ReplicaTracker> awaited;

    private volatile boolean leftLacking;
    private final Set<ReplicaTracker> leftFormerWriters = new HashSet<>();

    /**
     * @param recorded of the record that the switch will change, if there is one
     * @param patience with copies that the pool may be opened without
     * @param syncBegun told when a replica's content is given up for a copy
     */
    SwitchAtOpen(
            ReplicatedPool pool,
            AttachOptions options,
            RecordedStep recorded,
            Patience patience,
            Consumer<ReplicaTracker> syncBegun) {
        this(pool, options, recorded, patience, false, Set.of(), syncBegun);
    }

    private SwitchAtOpen(
            ReplicatedPool pool,
            AttachOptions options,
            RecordedStep recorded,
            Patience patience,
            boolean wholeOnly,
            Set<ReplicaTracker> awaited,
            Consumer<ReplicaTracker> syncBegun) {
        this.wholeOnly = wholeOnly;
        this.awaited = awaited;
        this.recorded = recorded;
        this.patience = patience;
        this.pool = pool;
        this.options = options;
        this.syncBegun = syncBegun;
    }

    /**
     * The one that nothing is copied in, but what tails lack.
     *
     * @param awaited those that the pool can't be opened without
     */
    static SwitchAtOpen ofWhole(
            ReplicatedPool pool,
            AttachOptions options,
            RecordedStep recorded,
            Patience patience,
            Set<ReplicaTracker> awaited) {
        return new SwitchAtOpen(pool, options, recorded, patience, true, awaited, copy -> {});
    }

    /** Whether it went on without one because that lacks something. */
    boolean hasLeftLacking() {
        return leftLacking;
    }

    /**
     * Whose copies it went on without because they are former writers': it did not ask for them, or
     * they did not come back.
     */
    Set<ReplicaTracker> leftFormerWriters() {
        return leftFormerWriters;
    }

    @Override
    public void admit(ReplicaTracker copy, ReplicaSession member) {
        AttachDecisions.check(pool, member, options);
        recorded.requireOfThisRecord(member);
        SlotReport slot = member.verdict().slot();
        boolean isWhole =
                member.verdict().kind() == AttachDecision.CURRENT
                        && slot.state() != ReplicaState.PROMOTED;
        if (!isWhole) {
            recorded.requireUnnamed(member);
            if (wholeOnly) { // it was held by somebody when it was looked at
                leftLacking = true;
                throw recorded.broughtLater(copy.remote());
            }
        }
    }

    @Override
    public long committedIn(long number) {
        return SlotReport.NOT_KNOWN;
    }

    @Override
    public void bringUp(ReplicaTracker copy, ReplicaSession member, long next) {
        member.pacedBy(options.pacer());
        AttachDecision kind = member.verdict().kind();
        if (kind == AttachDecision.CURRENT && options.overwrite().contains(copy.remote())) {
            copyAll(copy, member, next); // its numbers are right, and its content is not
            return;
        }
        if (kind == AttachDecision.CURRENT
                && member.verdict().slot().state() == ReplicaState.PROMOTED) {
            bringUpPromoted(copy, member, next);
            return;
        }
        switch (kind) {
            case CURRENT -> {
                if (lacksRecords(member)) {
                    new LackingRecords(recorded.tail()).sendTo(member);
                }
                member.image().reconcile(pool.image());
                member.prepare();
            }
            case STALE -> {
                MemberImage image = member.image();
                long imageBytes = pool.image().byteSize();
                RegionSet changed = RegionSet.ofPages(imageBytes);
                boolean noted = copy.isNoted(member.verdict().slot());
                if (noted) {
                    copy.map().addTo(changed);
                    image.addFootprint(changed, imageBytes);
                }
                member.startSync();
                syncBegun.accept(copy);
                List<ByteRange> ranges =
                        noted
                                ? SharedBytes.of(changed.take(imageBytes), imageBytes)
                                : SharedBytes.of(imageBytes);
                image.putWhatDiffers(pool.image(), ranges);
                member.completeSync(next);
            }
            default -> copyAll(copy, member, next);
        }
    }

    /** One that has confirmed a later number already was brought up before that was recorded. */
    private boolean lacksRecords(ReplicaSession member) {
        return recorded.tail().epoch() == pool.runId()
                && !LackingRecords.isWhole(member.verdict().slot(), recorded.tail());
    }

    /**
     * The pool was restored from it, and has given back since what the owner's lanes had in the
     * heap: a replica that kept that would have a pool's objects and its own logs in one place.
     */
    private void bringUpPromoted(ReplicaTracker copy, ReplicaSession member, long next) {
        member.startSync();
        syncBegun.accept(copy);
        member.image().putWhatDiffers(pool.image(), SharedBytes.of(pool.image().byteSize()));
        member.completeSync(next);
    }

    private void copyAll(ReplicaTracker copy, ReplicaSession member, long next) {
        member.startSync();
        syncBegun.accept(copy);
        member.image().copyAll(pool, options);
        member.completeSync(next);
    }

    /** Content goes wherever it is missing: numbers prove nothing here. */
    @Override
    public void switched(long number) {}

    /**
     * Where it may be that another one goes on with the replica, or that the local pool is the
     * wrong one, a person must look before anything is committed here. All else is the target's own
     * trouble; but of a pool that never had replicas a refusal says that the poolset files are
     * wrong.
     */
    @Override
    public boolean goesOnWithout(ReplicaTracker copy, FarheapException why) {
        if (recorded.isNeeded()) {
            MissingRight.in(why).ifPresent(said -> LOG.warn("{}", said));
            boolean without = isOfTheTarget(why); // the record says who the right writer is
            if (without) {
                leave(copy, why);
            }
            return without;
        }
        if (!copy.isOptional() || why instanceof OverwriteRefusedException) {
            return false;
        }
        if (!(why instanceof RefusedException refused)) {
            return why.category() == FarheapException.Category.REPLICA;
        }
        return switch (refused.code()) {
            case BUSY,
                    WRONG_POOL,
                    HOLDS_POOL,
                    WRONG_STATE,
                    WRONG_NUMBER,
                    TERM_OVER,
                    OUTSIDE_RECORD ->
                    false;
            case MEDIUM, DAMAGED, OTHER -> true;
            case NOT_FOUND, EXISTS, ACCESS, BAD_NAME, BAD_POOLSET, BAD_MESSAGE ->
                    RunNumbers.isOfSwitch(pool.runId());
        };
    }

    private void leave(ReplicaTracker copy, FarheapException why) {
        if (why instanceof LackingCopyException) {
            leftLacking = true;
        } else if (why instanceof FormerWritersCopyException) {
            leftFormerWriters.add(copy);
        }
        sayWithout(why);
    }

    /** It names the copy. */
    private void sayWithout(FarheapException why) {
        String text = "{}: the pool is opened without a copy, if enough are there: {}";
        if (why instanceof NotReachedException) {
            LOG.info(text, pool.poolsetFile(), why.getMessage());
        } else {
            LOG.warn(text, pool.poolsetFile(), why.getMessage());
        }
    }

    /** Whatever it is but a mistake in the poolset files. */
    private static boolean isOfTheTarget(FarheapException why) {
        return why instanceof RefusedException refused
                ? refused.code() != Reply.Code.WRONG_POOL && refused.code() != Reply.Code.HOLDS_POOL
                : why.category() == FarheapException.Category.REPLICA;
    }

    /** Not yet: who opens it is told by what is thrown. */
    @Override
    public boolean poolIsOpen() {
        return false;
    }

    @Override
    public boolean takesFormerWriters() {
        return patience == Patience.FORMER_WRITER_TOO || patience == Patience.ALL_IT_TAKES;
    }

    @Override
    public boolean takesWholeOnly() {
        return wholeOnly;
    }

    /** None where something may have to be copied, and for those that are awaited. */
    @Override
    public Duration allSteps(ReplicaTracker copy, Duration usual) {
        return wholeOnly && !awaited.contains(copy) ? usual : NO_LIMIT;
    }

    @Override
    public Duration greeting(Duration usual) {
        boolean little = patience == Patience.LITTLE || patience == Patience.FORMER_WRITER_TOO;
        return little && usual.compareTo(SILENT) > 0 ? SILENT : usual;
    }
}
