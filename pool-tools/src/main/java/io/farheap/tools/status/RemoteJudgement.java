package io.farheap.tools.status;

import io.farheap.base.ReplicaDifference;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.DirtyMapSummary;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.tools.survey.NextStep;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What follows for a remote copy from what its agent says, what the program says that has the pool
 * open, and the pool's own number. A judgement of its own is made only where that program says
 * nothing.
 *
 * @param poolset the poolset file
 * @param replica the replica
 * @param place its place in the poolset file
 * @param pool the pool's uuid; null: not known
 * @param number the pool's; null: no local copy tells it
 * @param listened whether its agent listens, and is reached within TLS
 * @param open whether a program has the pool open
 * @param opening whether it may have begun to a moment ago
 */
record RemoteJudgement(
        Path poolset,
        RemoteReplica replica,
        int place,
        PoolUuid pool,
        Long number,
        boolean listened,
        boolean open,
        boolean opening) {

    private static final Pattern ENDED = Pattern.compile("ended with status (\\d+)");
    private static final String SHELL_FAILED = "255";
    private static final String COMMAND_NOT_FOUND = "127";
    private static final Pattern OTHER_VERSION =
            Pattern.compile("upgrade the (agent|program) first");

    /** A verdict with its reason and what can be done. */
    private record Finding(Standing verdict, String explanation, String nextStep) {}

    /**
     * @param why the target can't be asked
     */
    CopyStatus unreachable(String why, ReplicaStatus said, DirtyMapSummary notes) {
        String step = toReach(why);
        return copy(new Finding(Standing.UNREACHABLE, why, step), null, said, notes);
    }

    /**
     * @param why what the target says, with what can be done
     */
    CopyStatus refused(String why, ReplicaStatus said, DirtyMapSummary notes) {
        String step = "the target answers: do what it says, then " + next().status();
        return copy(new Finding(Standing.REFUSED, why, step), null, said, notes);
    }

    /** The remote shell's own status is 255; where that ran the agent, the target answers. */
    private String toReach(String why) {
        Matcher older = OTHER_VERSION.matcher(why);
        if (older.find()) {
            return older.group() + ", then " + next().status();
        }
        if (listened) {
            return "see that its agent listens there, and what its log says (journalctl -u"
                    + " farheap-agent), then "
                    + next().status();
        }
        Matcher ended = ENDED.matcher(why);
        String status = ended.find() ? ended.group(1) : SHELL_FAILED;
        return switch (status) {
            case SHELL_FAILED -> "see that the target answers: ssh " + destination() + " true";
            case COMMAND_NOT_FOUND ->
                    "install the agent on the target, or name its command there (RPMEM_CMD)";
            default ->
                    "the target answers, and its agent does not start: mend what it says, then "
                            + next().status();
        };
    }

    private String destination() {
        return (replica.port() == 0 ? "" : "-p " + replica.port() + " ")
                + (replica.user() == null ? "" : replica.user() + "@")
                + replica.host();
    }

    /**
     * @param said what the program says of it; null: nothing
     * @param notes its dirty map; null: there is none
     */
    CopyStatus of(ReplicaReport report, ReplicaStatus said, DirtyMapSummary notes) {
        Finding finding = said == null ? null : asSaid(report, said);
        return copy(finding == null ? found(report, notes) : finding, report, said, notes);
    }

    /** The program knows better than numbers whether it writes to it. */
    private Finding asSaid(ReplicaReport report, ReplicaStatus said) {
        if (said.state() == State.ATTACHED && !said.differences().isEmpty()) {
            ReplicaDifference first = said.differences().get(0);
            int places = said.differences().size();
            return new Finding(
                    Standing.DIFFERENT,
                    "it has every commit, but its content is not the pool's in "
                            + places
                            + (places == 1 ? " place: offset " : " places, first: offset ")
                            + first.offset()
                            + ", "
                            + first.length()
                            + " bytes",
                    said.nextStep());
        }
        if (said.state() == State.ATTACHED && report.slot() != null) {
            return new Finding(Standing.CURRENT, said.reason(), said.nextStep());
        }
        if (said.state() == State.SYNCING) {
            return new Finding(
                    Standing.INCOMPLETE,
                    "it is brought up to date, and can't be used until that is done",
                    said.nextStep());
        }
        return null;
    }

    private Finding found(ReplicaReport report, DirtyMapSummary notes) {
        SlotReport slot = report.slot();
        if (slot == null && report.faults().isEmpty()) {
            return new Finding(
                    Standing.EMPTY, "the target has no files of it", number == null ? "" : sync());
        }
        if (slot == null) {
            return new Finding(Standing.BROKEN, String.join("; ", report.faults()), overwrite());
        }
        PoolUuid its = uuid(report);
        if (pool != null && its != null && !pool.equals(its)) {
            return new Finding(
                    Standing.OTHER_POOL,
                    "the files on the target belong to another pool",
                    next().ofAnotherPool());
        }
        if (!report.faults().isEmpty()) {
            return new Finding(Standing.BROKEN, String.join("; ", report.faults()), sync());
        }
        if (number == null) {
            return withoutPool(slot);
        }
        return compared(slot, notes);
    }

    private Finding withoutPool(SlotReport slot) {
        boolean complete =
                slot.state() == ReplicaState.INSYNC || slot.state() == ReplicaState.PROMOTED;
        return new Finding(
                Standing.UNKNOWN,
                "there is no local copy that tells the pool's number, to compare it with; "
                        + (complete ? "it is a complete one" : "it is no complete one"),
                complete && !slot.foreignOpen() ? sync() : "restore from another copy");
    }

    private Finding compared(SlotReport slot, DirtyMapSummary notes) {
        List<Long> bases = notes == null ? List.of() : notes.bases();
        AttachDecision kind = slot.decisionOn(number, bases);
        return switch (kind) {
            case NEW -> new Finding(Standing.EMPTY, "it has no content yet", sync());
            case SYNC_INTERRUPTED ->
                    new Finding(Standing.INCOMPLETE, "a copy to it never ended", sync());
            case CURRENT ->
                    opening
                            ? new Finding(
                                    Standing.OPENING,
                                    "it has the pool's number, and the program that has the pool is"
                                            + " opening it",
                                    "")
                            : open
                                    ? new Finding(
                                            Standing.DETACHED,
                                            "it has the pool's number, and the program that has the"
                                                    + " pool does not show it as attached",
                                            "see what the program's log says of it")
                                    : new Finding(Standing.CURRENT, "it has the pool's number", "");
            case STALE ->
                    new Finding(
                            Standing.STALE,
                            slot.mayLag() && slot.cur() == number
                                    ? "it may lack commits that returned without it (policy async)"
                                    : "it lacks what changed since it was left out",
                            open
                                    ? "none: it is brought up to date as soon as it is reached"
                                    : sync());
            case TAKEN_OVER ->
                    decision(Standing.TAKEN_OVER, "it was taken over and is a pool of its own now");
            case OPENED_ON_TARGET ->
                    decision(
                            Standing.OPENED_ON_TARGET,
                            "a program has opened its files on the target, past the agent");
            case NOT_COMPARABLE, NONE ->
                    decision(
                            Standing.NOT_COMPARABLE,
                            "neither it nor the pool is known to be newer");
        };
    }

    private Finding decision(Standing verdict, String why) {
        String close = open ? "close the program, then: " : "";
        return new Finding(verdict, why, close + AttachDecisions.directions(poolset, replica));
    }

    private String sync() {
        return whenClosed(next().sync());
    }

    private String overwrite() {
        return whenClosed(next().overwrite(replica));
    }

    private String whenClosed(String command) {
        return open ? "close the program, then " + command : command;
    }

    private NextStep next() {
        return new NextStep(poolset);
    }

    private CopyStatus copy(
            Finding finding, ReplicaReport report, ReplicaStatus said, DirtyMapSummary notes) {
        boolean held = report != null && !report.holder().isEmpty();
        boolean programKnowsMore = said != null && said.state() != State.ATTACHED;
        String step =
                programKnowsMore && !said.nextStep().isEmpty()
                        ? said.nextStep()
                        : held && !open ? afterHolder(finding) : finding.nextStep();
        return new CopyStatus(
                place,
                replica.host(),
                replica.descriptor(),
                finding.verdict(),
                finding.explanation(),
                null,
                report == null ? null : CopyStatus.Slot.of(report.slot()),
                said == null ? null : CopyStatus.Program.of(said),
                held ? report.holder() : null,
                notes == null ? null : notes.bases().isEmpty() ? -1L : notes.bytes(),
                step);
    }

    /**
     * Nobody here has the pool: a program elsewhere has the replica, or one that is gone had it.
     */
    private String afterHolder(Finding finding) {
        return "if who has it is gone, its right ends by itself (by the target's heartbeat-bound,"
                + " usually within 10 s); if it hangs: farheap sync --take-over "
                + poolset
                + (finding.nextStep().isEmpty() ? "" : "; then " + finding.nextStep());
    }

    private static PoolUuid uuid(ReplicaReport report) {
        if (report.header().length() == 0) {
            return null;
        }
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(report.header().toByteArray()));
        return header.hasSignature() ? header.poolsetUuid() : null;
    }
}
