package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.loader.SimulationLoader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pools of {@link CellScaleTest} have no content, and their switches are played: they change
 * the record as often as a pool does whose commits, copies and switches are the product's.
 */
class CellRecordsTest {
    /** With as many pools: each machine has copies of three, two are lost. */
    private static final int MACHINES = 5;

    private static final int COPIES = 3;

    private static final int TTL = 10;

    @Test
    void aPlayedPoolChangesItsRecordAsOftenAsARealOne() throws ReflectiveOperationException {
        Map<String, Integer> real = real();
        System.out.println("changes of the record of a pool with its copies: " + real);
        CellRun played = CellRun.of(MACHINES, MACHINES, 1, TTL, 1);
        assertThat(played.figure("start.records")).isEqualTo(MACHINES * real.get("start"));
        double written = played.figure("machine.wrote") + played.figure("rack.wrote");
        assertThat(written).isPositive();
        assertThat(
                        Stream.of("machine", "machine-back", "rack", "rack-back")
                                .mapToDouble(event -> played.figure(event + ".records"))
                                .sum())
                .isEqualTo(
                        written * (real.get("writer-lost") + real.get("writer-back"))
                                + (2 * COPIES - written)
                                        * (real.get("copy-lost") + real.get("copy-back")));
        assertThat(played.figure("steady.records")).isZero();
    }

    private static Map<String, Integer> real() throws ReflectiveOperationException {
        Map<String, Integer> counts = new HashMap<>();
        for (String each : told()) {
            int sign = each.indexOf('=');
            counts.put(each.substring(0, sign), Integer.valueOf(each.substring(sign + 1)));
        }
        return counts;
    }

    @SuppressWarnings("unchecked") // strings are the same class in both loaders
    private static List<String> told() throws ReflectiveOperationException {
        return (List<String>)
                Class.forName(
                                "io.farheap.simulation.QuietCluster",
                                true,
                                new SimulationLoader(null))
                        .getMethod("run", long.class)
                        .invoke(null, 1L);
    }
}
