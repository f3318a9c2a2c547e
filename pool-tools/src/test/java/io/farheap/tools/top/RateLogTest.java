package io.farheap.tools.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.live.LiveFigures;
import io.farheap.replication.status.ProgramStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read is what was written. */
class RateLogTest {
    @TempDir Path dir;

    private static ProgramStatus.Copy copy(State state, long lagBytes) {
        return new ProgramStatus.Copy(
                "far", ReplicaPolicy.DEGRADE, state, 1, 2, lagBytes, 3, 4, "", "", List.of());
    }

    private static String line(LocalTime time, long commits, ProgramStatus.Copy... copies) {
        Rates rates =
                new Rates(
                        new LiveFigures(0, Map.of()),
                        new LiveFigures(
                                1_000_000_000,
                                Map.of("commits", commits, "commitNanosBelow4352", commits)));
        return RateLine.of(time, rates, new ProgramStatus(1, 2, 3, 0, List.of(copies))) + "\n";
    }

    @Test
    void everyLineComesBack() throws Exception {
        LocalTime noon = LocalTime.NOON;
        List<String> lines = new ArrayList<>();
        lines.add(RateLine.TITLES + "\n");
        lines.add(line(noon, 123456789, copy(State.ATTACHED, 0), copy(State.LOST, 70)));
        lines.add(line(noon.plusSeconds(1), 0, copy(State.ATTACHED, 1L << 50)));
        lines.add(line(noon.plusSeconds(2), 1, copy(State.LOST, -1)));
        lines.add(
                "bank.set: process 7, which had the pool open, ended or closed it meanwhile (x)\n");
        lines.add("bank.set: process 7, x; \"kill -CONT 7\" lets one go on that is stopped\n");
        lines.add(RateLine.TITLES + "\n");
        lines.add(line(noon.plusSeconds(9), 5));
        Path log = Files.writeString(dir.resolve("bank.log"), String.join("", lines));
        assertThat(RateLog.read(log, Path.of("bank.set")))
                .containsExactly(
                        new RateLog.Look(noon, 123456789, 1, 2, OptionalLong.of(70)),
                        new RateLog.Look(noon.plusSeconds(1), 0, 1, 1, OptionalLong.of(1L << 50)),
                        new RateLog.Look(noon.plusSeconds(2), 1, 0, 1, OptionalLong.empty()),
                        new RateLog.Look(noon.plusSeconds(9), 5, 0, 0, OptionalLong.empty()));
    }

    @Test
    void linesOfTheVersionBeforeAreReadAndNewOnesAfterThem() throws Exception {
        String before =
                "time      commits/s  aborts/s  fences/commit  syncs/s  replica-MB/s  attached "
                        + " lag-bytes\n";
        String old =
                "10:00:00          7       0.0           3.00      0.0          0.10       1/1          0\n";
        String now = line(LocalTime.NOON, 5);
        Path log = dir.resolve("bank.log");
        Files.writeString(log, before + old + RateLine.TITLES + "\n" + now);
        assertThat(RateLog.read(log, Path.of("bank.set")))
                .containsExactly(
                        new RateLog.Look(LocalTime.of(10, 0), 7, 1, 1, OptionalLong.of(0)),
                        new RateLog.Look(LocalTime.NOON, 5, 0, 0, OptionalLong.empty()));
        Files.writeString(log, before + now);
        assertThatThrownBy(() -> RateLog.read(log, Path.of("bank.set")))
                .hasMessageContaining("bank.log:2: no line of farheap top");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10:00:00  Infinity  0.0  3.00  0.0  0.10  1/1  0  1.00  2.00  -  -",
                "10:00:00  1e999  0.0  3.00  0.0  0.10  1/1  0  1.00  2.00  -  -",
                "10:00:00  1  0.0  3.00  0.0  0.10  2/1  0  1.00  2.00  -  -",
                "10:00:00  1  0.0  3.00  0.0  0.10  2  0  1.00  2.00  -  -",
                "10:00:00  1  0.0  3.00  0.0  0.10  1/1/1  0  1.00  2.00  -  -",
                "10:00:00  1  0.0  3.00  0.0  0.10  1/1  0.5  1.00  2.00  -  -",
                "10:00:00  1  0.0  3.00  0.0  0.10  1/1  0  1.00  -2.00  -  -",
                "10:00:00  1  0.0  3.00  0.0  0.10  1/1  0",
                "25:00:00  1  0.0  3.00  0.0  0.10  1/1  0  1.00  2.00  -  -",
                "\u001b[2J",
            })
    void whatNoLineHasIsRefused(String line) throws Exception {
        Path log = Files.writeString(dir.resolve("bank.log"), RateLine.TITLES + "\n" + line + "\n");
        assertThatThrownBy(() -> RateLog.read(log, Path.of("bank.set")))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("bank.log:2: no line of farheap top")
                .hasMessageNotContaining("\u001b");
    }
}
