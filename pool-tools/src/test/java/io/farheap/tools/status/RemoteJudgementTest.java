package io.farheap.tools.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.ReplicaDifference;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.DirtyMapSummary;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a remote copy, for each of the agents' answers. */
class RemoteJudgementTest {
    private static final long L = 1000;
    private static final RemoteReplica FAR = new RemoteReplica("me", "far", 22, "copy.set");
    private static final Path SET = Path.of("/pools/bank.set");

    private static RemoteJudgement judgement(boolean open) {
        return new RemoteJudgement(SET, FAR, 1, null, L, false, open, false);
    }

    private static ReplicaReport report(
            ReplicaState state, long cur, long next, boolean foreign, String... faults) {
        SlotReport slot = new SlotReport(state, cur, next, cur, 5, 2, cur, foreign, false);
        return new ReplicaReport(slot, Blob.EMPTY, 1 << 20, List.of(faults), "");
    }

    private static CopyStatus closed(ReplicaReport report) {
        return judgement(false).of(report, null, null);
    }

    private static ReplicaStatus said(State state, String nextStep, ReplicaDifference... found) {
        List<ReplicaDifference> differences = List.of(found);
        return new ReplicaStatus(
                FAR.toString(),
                ReplicaPolicy.DEGRADE,
                state,
                L,
                7,
                4096,
                Duration.ofSeconds(3),
                Instant.EPOCH,
                "because",
                nextStep,
                differences);
    }

    @Test
    void theNumbersDecideWhereNoProgramHasThePool() {
        assertThat(closed(report(ReplicaState.INSYNC, L, 0, false)).verdict())
                .isEqualTo(Standing.CURRENT);
        assertThat(closed(report(ReplicaState.INSYNC, 4, L, false)).verdict())
                .as("a switch that was cut")
                .isEqualTo(Standing.CURRENT);
        assertThat(closed(report(ReplicaState.SYNCING, 0, L, false)).verdict())
                .isEqualTo(Standing.CURRENT);
        assertStanding(
                closed(report(ReplicaState.NEW, 0, 0, false)), Standing.EMPTY, "farheap sync");
        assertStanding(
                closed(report(ReplicaState.SYNCING, 0, 0, false)),
                Standing.INCOMPLETE,
                "farheap sync /pools/bank.set");
        assertStanding(
                closed(report(ReplicaState.INSYNC, 4, 0, false)),
                Standing.NOT_COMPARABLE,
                "farheap sync --overwrite \"me@far:22 copy.set\" /pools/bank.set");
        assertStanding(
                closed(report(ReplicaState.PROMOTED, 4, 0, false)),
                Standing.TAKEN_OVER,
                "to keep the replica");
        assertStanding(
                closed(report(ReplicaState.INSYNC, L, 0, true)),
                Standing.OPENED_ON_TARGET,
                "--overwrite");
    }

    private static void assertStanding(CopyStatus copy, Standing verdict, String step) {
        assertThat(copy.verdict()).isEqualTo(verdict);
        assertThat(copy.nextStep()).contains(step);
        assertThat(copy.isGood()).isFalse();
    }

    @Test
    void aDirtyMapProvesThatACopyIsOlder() {
        ReplicaReport old = report(ReplicaState.INSYNC, 4, 0, false);
        CopyStatus copy = judgement(false).of(old, null, new DirtyMapSummary(List.of(4L), 8192));
        assertStanding(copy, Standing.STALE, "farheap sync");
        assertThat(copy.dirtyMapBytes()).isEqualTo(8192);
        copy = judgement(false).of(old, null, new DirtyMapSummary(List.of(), 0));
        assertThat(copy.verdict()).isEqualTo(Standing.NOT_COMPARABLE);
        assertThat(copy.dirtyMapBytes()).isEqualTo(-1);
    }

    @Test
    void filesThatAreMissingOrDamagedOrAnotherPoolsCountFirst() {
        assertThat(closed(new ReplicaReport(null, Blob.EMPTY, 1, List.of(), "")).verdict())
                .isEqualTo(Standing.EMPTY);
        assertStanding(
                closed(new ReplicaReport(null, Blob.EMPTY, 1, List.of("x is missing"), "")),
                Standing.BROKEN,
                "--overwrite");
        assertStanding(
                closed(report(ReplicaState.INSYNC, L, 0, false, "part1 is missing")),
                Standing.BROKEN,
                "farheap sync /pools/bank.set");
    }

    @Test
    void theProgramThatHasThePoolKnowsBetter() {
        ReplicaReport current = report(ReplicaState.INSYNC, L, 0, false);
        CopyStatus copy = judgement(true).of(current, said(State.ATTACHED, ""), null);
        assertThat(copy.verdict()).isEqualTo(Standing.CURRENT);
        assertThat(copy.nextStep()).isEmpty();

        copy =
                judgement(true)
                        .of(
                                current,
                                said(
                                        State.ATTACHED,
                                        "look",
                                        new ReplicaDifference(FAR.toString(), 7000, 3)),
                                null);
        assertStanding(copy, Standing.DIFFERENT, "look");
        assertThat(copy.explanation()).contains("1 place", "offset 7000, 3 bytes");

        copy = judgement(true).of(current, said(State.LOST, "mend it"), null);
        assertThat(copy.verdict()).isEqualTo(Standing.DETACHED);
        assertThat(copy.nextStep()).isEqualTo("mend it");
        assertThat(copy.program().reason()).isEqualTo("because");

        copy =
                judgement(true)
                        .of(
                                report(ReplicaState.SYNCING, 0, 0, false),
                                said(State.SYNCING, ""),
                                null);
        assertThat(copy.verdict()).isEqualTo(Standing.INCOMPLETE);
        assertThat(copy.nextStep()).as("it is being done").isEmpty();
    }

    @Test
    void aProgramThatSaysNothingDoesNotMakeACopyCurrent() {
        CopyStatus copy = judgement(true).of(report(ReplicaState.INSYNC, L, 0, false), null, null);
        assertThat(copy.verdict()).isEqualTo(Standing.DETACHED);
        copy = judgement(true).of(report(ReplicaState.INSYNC, 4, 0, false), null, null);
        assertThat(copy.nextStep()).startsWith("close the program, then: ");
    }

    @Test
    void oneThatSomebodyElseHasIsFreeSoonOrTakenOver() {
        SlotReport slot = new SlotReport(ReplicaState.INSYNC, L, 0, L, 5, 2, L, false, false);
        ReplicaReport held = new ReplicaReport(slot, Blob.EMPTY, 1 << 20, List.of(), "process 5");
        CopyStatus copy = judgement(false).of(held, null, null);
        assertThat(copy.heldBy()).isEqualTo("process 5");
        assertThat(copy.nextStep())
                .contains("its right ends by itself", "10 s", "--take-over /pools/bank.set");
        assertThat(judgement(true).of(held, said(State.ATTACHED, ""), null).nextStep())
                .as("the program here has it")
                .isEmpty();
        copy =
                new RemoteJudgement(SET, FAR, 1, null, null, false, false, false)
                        .of(held, null, null);
        assertThat(copy.nextStep()).endsWith("; then farheap sync /pools/bank.set");
    }

    @Test
    void aTargetThatCanNotBeAskedIsNotCurrent() {
        CopyStatus copy = judgement(true).unreachable("no route", null, null);
        assertStanding(copy, Standing.UNREACHABLE, "ssh -p 22 me@far true");
        String noAgent = "the remote shell command ended with status 127";
        copy = judgement(true).unreachable(noAgent, null, null);
        assertStanding(copy, Standing.UNREACHABLE, "install the agent");
        copy = judgement(true).unreachable("x (… command ended with status 255)", null, null);
        assertStanding(copy, Standing.UNREACHABLE, "ssh -p 22 me@far true");
        String noLog = "Cannot open the log file /x (the remote shell command ended with status 1)";
        copy = judgement(true).unreachable(noLog, null, null);
        assertStanding(copy, Standing.UNREACHABLE, "its agent does not start: mend what it says");
        assertThat(copy.nextStep()).doesNotContain("ssh");
        String version =
                "its agent speaks farheap 1, this program farheap 2; upgrade the agent first, or run";
        copy = judgement(true).unreachable(version, null, null);
        assertStanding(copy, Standing.UNREACHABLE, "upgrade the agent first, then ");
        copy = judgement(true).unreachable("no route", said(State.LOST, "mend it"), null);
        assertThat(copy.nextStep()).isEqualTo("mend it");
    }

    /** No remote shell leads there. */
    @Test
    void whoListensIsLookedForWhereItListens() {
        RemoteJudgement judgement = new RemoteJudgement(SET, FAR, 1, null, L, true, false, false);
        CopyStatus copy = judgement.unreachable("nobody listens there", null, null);
        assertStanding(copy, Standing.UNREACHABLE, "see that its agent listens there");
        assertThat(copy.nextStep())
                .doesNotContain("ssh")
                .endsWith("farheap status /pools/bank.set");
        String version =
                "its agent speaks farheap 1, this program farheap 2; upgrade the agent first, or run";
        assertThat(judgement.unreachable(version, null, null).nextStep())
                .isEqualTo("upgrade the agent first, then farheap status /pools/bank.set");
    }

    @Test
    void aLocalCopyBesideOneThatWasTakenOverIsCurrentInOneOfTwoPools() {
        CopyStatus taken =
                judgement(false).of(report(ReplicaState.PROMOTED, L + 5, 0, false), null, null);
        assertStanding(taken, Standing.TAKEN_OVER, "--from");
        CopyStatus local = local(Standing.CURRENT).beside(taken);
        assertStanding(local, Standing.NOT_COMPARABLE, "--from");
        assertThat(local.explanation()).contains("replica 1 (far copy.set) was taken over");
        assertThat(local.nextStep()).isEqualTo(taken.nextStep());
        assertThat(local(Standing.BROKEN).beside(taken)).isEqualTo(local(Standing.BROKEN));
    }

    private static CopyStatus local(Standing verdict) {
        return new CopyStatus(0, "", "/pools/a", verdict, "", L, null, null, null, null, "");
    }

    @Test
    void aTargetThatRefusesIsNotUnreachable() {
        CopyStatus copy =
                judgement(true).refused("there is no such poolset: write one", null, null);
        assertStanding(copy, Standing.REFUSED, "do what it says");
    }

    @Test
    void withoutALocalPoolThereIsNothingToCompareWith() {
        CopyStatus copy =
                new RemoteJudgement(SET, FAR, 1, null, null, false, false, false)
                        .of(report(ReplicaState.INSYNC, L, 0, false), null, null);
        assertStanding(copy, Standing.UNKNOWN, "farheap sync /pools/bank.set");
    }
}
