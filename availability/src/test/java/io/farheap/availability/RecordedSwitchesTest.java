package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreFaults.Fate;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.epoch.SwitchRecorder.Kind;
import io.farheap.replication.epoch.TakenTail;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a switch hears of its record, whatever the store answers. */
class RecordedSwitchesTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");
    private static final RemoteReplica B = new RemoteReplica(null, "b-host", 0, "copy.set");
    private static final RemoteReplica C = new RemoteReplica(null, "c-host", 0, "copy.set");

    @TempDir private Path directory;

    private final MemoryStore store = new MemoryStore(Duration.ofDays(1));
    private final Deque<Fate> fates = new ArrayDeque<>();
    private final Map<String, TermFile> files = new HashMap<>();
    private PoolRecord record;
    private RecordedSwitches switches;

    @BeforeEach
    void create() {
        record = open("a", this::fate);
        assertThat(record.create(10, 0).kind()).isEqualTo(RecordOutcome.Kind.RECORDED);
        switches =
                new RecordedSwitches(
                        record,
                        own("a"),
                        new RecordedSwitches.Plan("a", Map.of(B, "b", C, "c"), 2),
                        TakenTail.NONE);
    }

    private Fate fate() {
        return fates.isEmpty() ? Fate.ANSWERED : fates.poll();
    }

    private TermFile own(String node) {
        return files.computeIfAbsent(node, name -> TermFile.beside(directory.resolve(name)));
    }

    private PoolRecord open(String node, StoreFaults faults) {
        return new PoolRecord(store.connect(faults), KEYS, node, own(node), new Random(1));
    }

    private ClusterRecord recorded() {
        return open("judge", StoreFaults.NONE).look().orElseThrow();
    }

    @Test
    void aSwitchHasTheNamesOfItsNodes() {
        assertThat(switches.record(List.of(B, C), 12).kind()).isEqualTo(Kind.RECORDED);
        assertThat(recorded().set()).containsExactly("a", "b", "c");
        assertThat(recorded().number()).isEqualTo(12);
        assertThat(switches.number()).isEqualTo(12);
        assertThat(switches.names(B)).isTrue();
        assertThat(switches.record(List.of(C), 14).kind()).isEqualTo(Kind.RECORDED);
        assertThat(switches.names(B)).isFalse();
        assertThat(switches.term()).isEqualTo(1);
        assertThat(TermFile.beside(directory.resolve("a")).term()).isEqualTo(1);
    }

    /** Then a line may lead to one of the set by another name. */
    @Test
    void nodesOfTheSetToWhichNoReplicaLeadsAreToldWithThoseOfTheReplicas() {
        assertThat(switches.record(List.of(B, C), 12).kind()).isEqualTo(Kind.RECORDED);
        assertThat(switches.namedBeside()).isEmpty();
        RecordedSwitches.Plan other =
                new RecordedSwitches.Plan("a", Map.of(B, "b.example", C, "c"), 2);
        switches = new RecordedSwitches(record, own("a"), other, TakenTail.NONE);
        assertThat(switches.names(B)).isFalse();
        assertThat(switches.namedBeside().orElseThrow())
                .contains("the record names [a, b, c]", "[b.example, c]", "nothing is overwritten");
    }

    @Test
    void aRequestWithoutAnAnswerIsUnsettledUntilTheVerySameOneIsDone() {
        fates.addAll(List.of(Fate.ANSWERED, Fate.CUT, Fate.CUT));
        assertThat(switches.record(List.of(B), 12).kind()).isEqualTo(Kind.UNSETTLED);
        assertThat(switches.number()).isEqualTo(10);
        assertThat(switches.settle().kind()).isEqualTo(Kind.RECORDED);
        assertThat(recorded().number()).isEqualTo(12);
    }

    @Test
    void aStoreThatIsAwaySaysSoBeforeASwitchIsBegun() {
        switches.requireRecording();
        fates.add(Fate.CUT);
        assertThatThrownBy(switches::requireRecording)
                .isInstanceOf(StoreUnavailableException.class);
        switches.requireRecording();
        assertThat(recorded().number()).isEqualTo(10);
    }

    @Test
    void whatCouldNotBeAskedIsNotRecorded() {
        fates.add(Fate.CUT);
        assertThat(switches.record(List.of(B), 12).kind()).isEqualTo(Kind.NOT_RECORDED);
        assertThat(switches.settle().kind()).isEqualTo(Kind.NOT_RECORDED);
        assertThat(recorded().number()).isEqualTo(10);
        assertThat(switches.record(List.of(B), 14).kind()).isEqualTo(Kind.RECORDED);
    }

    @Test
    void whoeverTakesOverEndsTheTermForGood() {
        assertThat(switches.record(List.of(B), 12).kind()).isEqualTo(Kind.RECORDED);
        assertThat(open("b", StoreFaults.NONE).takeOver(new OwnCopy(true, 12, 0)).kind())
                .isEqualTo(RecordOutcome.Kind.RECORDED);
        assertThat(switches.record(List.of(), 14).why()).contains("term 2, writer b");
        assertThat(switches.settle().kind()).isEqualTo(Kind.OVER);
    }

    @Test
    void aStoreThatWentBackIsNotWrittenTo() {
        MemoryStore.Backup before = store.backup();
        assertThat(switches.record(List.of(B), 12).kind()).isEqualTo(Kind.RECORDED);
        store.restore(before, true);
        assertThat(switches.record(List.of(), 14).kind()).isEqualTo(Kind.NOT_RECORDED);
        assertThat(switches.names(B)).isTrue();
    }

    @Test
    void aReplicaWithoutANodeIsAMistake() {
        RemoteReplica other = new RemoteReplica(null, "d-host", 0, "copy.set");
        assertThatThrownBy(() -> switches.record(List.of(other), 12))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("d-host copy.set has no node's name");
    }

    @Test
    void whatIsAddedLaterIsRecordedByItsNodeAndAMistakeChangesNothing() {
        RemoteReplica other = new RemoteReplica(null, "d-host", 0, "copy.set");
        RecordedSwitches.Plan first = new RecordedSwitches.Plan("a", Map.of(B, "b"), 2);
        RecordedSwitches.Plan later = new RecordedSwitches.Plan("a", Map.of(B, "b", C, "c"), 2);
        switches =
                new RecordedSwitches(
                        record,
                        own("a"),
                        first,
                        remotes -> later,
                        TakenTail.NONE,
                        false,
                        why -> {});
        assertThatThrownBy(() -> switches.replicas(List.of(B, other)))
                .hasMessageContaining("d-host copy.set has no node's name");
        assertThatThrownBy(() -> switches.names(C)).hasMessageContaining("c-host");
        switches.replicas(List.of(B, C));
        assertThat(switches.names(C)).isFalse();
        assertThat(switches.record(List.of(B, C), 12).kind()).isEqualTo(Kind.RECORDED);
        assertThat(recorded().set()).containsExactly("a", "b", "c");
        assertThat(switches.names(C)).isTrue();
    }
}
