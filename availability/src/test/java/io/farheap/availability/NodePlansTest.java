package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.poolset.RemoteReplica;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodePlansTest {
    private static final RemoteReplica B = replica("b");
    private static final RemoteReplica C = replica("c");

    private static RemoteReplica replica(String host) {
        return new RemoteReplica(null, host, 0, "copy.set");
    }

    private static NodePlans plans(Map<RemoteReplica, String> mates) {
        return new NodePlans(new RecordedSwitches.Plan("a", mates, 1));
    }

    @Test
    void whereNobodySaysOtherwiseANodeHasItsHostsName() {
        NodePlans plans = plans(Map.of());
        assertThat(plans.atOpen("bank.set", List.of(B)).nodes()).containsEntry(B, "b");
        assertThat(plans.later("bank.set", List.of(B, C)).nodes()).containsEntry(C, "c");
    }

    /** Else it would be recorded by a name that no node has. */
    @Test
    void oneThatIsAddedNeedsANameWhereOthersHadOne() {
        NodePlans plans = plans(Map.of(B, "berlin"));
        assertThat(plans.atOpen("bank.set", List.of(B)).nodes()).containsEntry(B, "berlin");
        assertThatThrownBy(() -> plans.later("bank.set", List.of(B, C)))
                .hasMessageContaining("whose copy " + C + " is was not said (mate)")
                .hasMessageContaining("nothing has changed");
        assertThat(plans.later("bank.set", List.of()).nodes()).isEmpty();
        assertThat(plans.later("bank.set", List.of(B)).nodes()).containsEntry(B, "berlin");
    }

    @Test
    void oneThatWasThereAtOpenOrHasANameIsTakenBack() {
        NodePlans plans = plans(Map.of(B, "berlin", C, "cairo"));
        RemoteReplica d = replica("d");
        assertThat(plans.atOpen("bank.set", List.of(B, d)).nodes()).containsEntry(d, "d");
        assertThat(plans.later("bank.set", List.of(B, C)).nodes()).containsEntry(C, "cairo");
        assertThat(plans.later("bank.set", List.of(B, d)).nodes()).containsEntry(d, "d");
    }

    @Test
    void moreThanARecordHasAreRefused() {
        NodePlans plans = plans(Map.of());
        List<RemoteReplica> most =
                IntStream.range(1, ClusterRecord.MOST_NODES)
                        .mapToObj(i -> replica("n" + i))
                        .toList();
        assertThat(plans.later("bank.set", most).nodes()).hasSize(ClusterRecord.MOST_NODES - 1);
        List<RemoteReplica> more =
                IntStream.rangeClosed(1, ClusterRecord.MOST_NODES)
                        .mapToObj(i -> replica("n" + i))
                        .toList();
        assertThatThrownBy(() -> plans.later("bank.set", more))
                .hasMessageContaining("more than a record has: 16");
    }
}
