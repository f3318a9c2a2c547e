package io.farheap.agent.session;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.replica.FormerWriter;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.agent.store.ImageKind;
import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Opens the replica that a hello names, or creates it where the hello may: nothing that may be the
 * last copy of a pool is opened for another one, or replaced without an order.
 */
final class ReplicaOpening {
    /** Why a replica can't be opened that an order replaces. */
    private static final Set<Code> REPLACEABLE =
            EnumSet.of(Code.DAMAGED, Code.EXISTS, Code.ACCESS, Code.NOT_FOUND);

    private final ReplicaPaths paths;
    private final Request.Hello request;
    private final long journalBytes;
    private OpenReplica replica;
    private boolean created;

    ReplicaOpening(ReplicaPaths paths, Request.Hello request, long journalBytes) {
        this.paths = paths;
        this.request = request;
        this.journalBytes = journalBytes;
    }

    /** What was opened, also when {@link #open} failed: then it is to be closed; null for none. */
    OpenReplica replica() {
        return replica;
    }

    /** Whether the replica was made here. */
    boolean isCreated() {
        return created;
    }

    void open() {
        paths.requireNoReplicas();
        requireKind(request.purpose());
        RecordsCopy.requireParts(paths, request);
        openOrCreate();
    }

    /** Only ATTACH creates a replica, and only by order does it replace one. */
    private void openOrCreate() {
        if (request.purpose() == Purpose.CREATE_MEMORY) {
            createMemory();
            return;
        }
        if (request.purpose() == Purpose.OPEN_MEMORY) {
            replica = OpenReplica.openMemory(paths);
            return;
        }
        if (request.purpose() == Purpose.RETURN) {
            replica =
                    new FormerWriter(paths, journalBytes).open(request.term(), request.recordId());
            return;
        }
        if (request.purpose() != Purpose.ATTACH) {
            replica = OpenReplica.open(paths);
            return;
        }
        try {
            if (request.overwrite() && request.term() != 0 && isJournalOf()) {
                FormerWriter.recoverFiles(paths); // else nobody could bring it up to date any more
            }
            replica = OpenReplica.open(paths);
            if (!isNewOfAnother()) {
                return;
            }
            replica.close();
            replica = null;
            new ReplicaRemoval(paths).remove(false);
        } catch (FarheapException e) {
            Code code = Refusal.of(e).code();
            boolean absent =
                    code == Code.NOT_FOUND
                            ? ReplicaInspection.holdsNothing(paths)
                            : isNeverFilled();
            if (!absent && !(isReplaced() && REPLACEABLE.contains(code))) {
                if (code == Code.NOT_FOUND) {
                    new ReplicaRemoval(paths).requireOf(uuidOf(request));
                }
                throw UnopenedReplica.refusal(paths, e);
            }
            if (!absent || paths.journal().exists()) {
                new ReplicaRemoval(paths).clear(uuidOf(request));
            }
        }
        replica =
                OpenReplica.create(
                        paths, request.header(), request.imageSize(), request.mode(), journalBytes);
        created = true;
    }

    /**
     * A writer that has a term overwrites what is of no use to anybody any more; but a journal that
     * can't be opened can't say that its own term is not higher.
     */
    private boolean isReplaced() {
        return request.overwrite() && (request.term() == 0 || !paths.journal().exists());
    }

    private void createMemory() {
        if (paths.journal().exists()) {
            if (!ReplicaInspection.isUnfinished(paths.journal())) {
                throw new Refusal(
                        Code.EXISTS,
                        "The memory " + paths.name() + " exists on the target.",
                        "Open it, or name another poolset.");
            }
            MemorySegment header = MemorySegment.ofArray(request.header().toByteArray());
            new ReplicaRemoval(paths).clear(new PoolHeader(header).poolsetUuid());
        }
        replica =
                OpenReplica.createMemory(
                        paths, request.header(), request.imageSize(), journalBytes);
        created = true;
    }

    /** It was made for a pool that never came to be, and has got nothing. */
    private boolean isNewOfAnother() {
        return !isOf(replica.poolsetUuid())
                && replica.store().slot().state() == ReplicaState.NEW
                && ReplicaInspection.holdsNothing(paths);
    }

    /** Its making was done, and its removal, before it got anything, was cut. */
    private boolean isNeverFilled() {
        return ReplicaInspection.slotOf(paths.journal())
                        .filter(slot -> slot.state() == ReplicaState.NEW)
                        .isPresent()
                && ReplicaInspection.holdsNothing(paths);
    }

    /** Nothing that is ordered for the one is ever done to the other. */
    private void requireKind(Purpose purpose) {
        if (paths.journal().exists() && !ReplicaInspection.isUnfinished(paths.journal())) {
            ReplicaInspection.slotOf(paths.journal()).ifPresent(ImageKind.of(purpose)::require);
        }
    }

    void requireSamePool() {
        if (!isOf(replica.poolsetUuid())) {
            throw otherPool();
        }
        String layout = replica.layout();
        if (request.purpose() == Purpose.ATTACH
                && !layout.isEmpty()
                && !layout.equals(request.layout())) {
            throw new Refusal(
                    Code.WRONG_POOL,
                    "The replica has the layout \""
                            + layout
                            + "\", the pool the layout \""
                            + request.layout()
                            + "\".",
                    "It is left as it is; name another poolset in the REPLICA line.");
        }
        if (request.imageSize() > replica.imageBytes()) {
            throw new Refusal(
                    Code.BAD_POOLSET,
                    "The replica has room for "
                            + replica.imageBytes()
                            + " bytes, the pool has "
                            + request.imageSize()
                            + ".",
                    "Write a poolset with larger parts beside it, and name that in the REPLICA"
                            + " line.");
        }
    }

    /** Whatever it holds may be the last copy of that. */
    private Refusal otherPool() {
        String holds =
                "The replica "
                        + paths.name()
                        + " on the target belongs to another pool ("
                        + replica.poolsetUuid()
                        + ", "
                        + ReplicaInspection.holds(replica.store().report())
                        + ").";
        return request.purpose() == Purpose.ATTACH && request.runId() == 0
                ? new Refusal(
                        Code.HOLDS_POOL,
                        holds,
                        "No pool is created over it; farheap sync with the poolset file restores"
                                + " that pool.")
                : new Refusal(
                        Code.WRONG_POOL,
                        holds,
                        "It is left as it is; name another poolset in the REPLICA line, or, to get"
                                + " that pool back, move the part files on the pool's machine away,"
                                + " then farheap sync.");
    }

    /**
     * The verdict on a promoted replica that can't be opened here: its owner has it open, or has
     * given it replicas of its own.
     */
    Optional<Reply.Verdict> ownedByAnother() {
        boolean joins = request.purpose() == Purpose.ATTACH || request.purpose() == Purpose.RESUME;
        if (!joins || request.overwrite() || !isJournalOf()) {
            return Optional.empty();
        }
        ReplicaInspection found = ReplicaInspection.of(paths, true);
        SlotReport slot = found.slot();
        if (slot == null || slot.state() != ReplicaState.PROMOTED) {
            return Optional.empty();
        }
        boolean opened = slot.headerRunId() != slot.cur();
        if (!opened && slot.decisionOn(request.runId(), List.of()) == AttachDecision.CURRENT) {
            return Optional.empty();
        }
        return Optional.of(
                new Reply.Verdict(
                        AttachDecision.TAKEN_OVER,
                        slot,
                        false,
                        found.header(),
                        paths.set().poolSize(),
                        List.of(),
                        "",
                        null));
    }

    private boolean isJournalOf() {
        return paths.journal().exists()
                && ReplicaInspection.journalUuid(paths.journal())
                        .filter(uuid -> isOf(uuid))
                        .isPresent();
    }

    private boolean isOf(PoolUuid uuid) {
        return request.poolsetUuid().isEmpty() || uuidOf(request).equals(uuid);
    }

    /** The pool that the hello is for, which it names. */
    static PoolUuid uuidOf(Request.Hello request) {
        return PoolUuid.of(HexFormat.of().parseHex(request.poolsetUuid()));
    }
}
