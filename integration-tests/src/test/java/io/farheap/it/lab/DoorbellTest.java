package io.farheap.it.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In a guest of the lab: what a commit costs, counted by the kernel. */
@Tag("rdma")
class DoorbellTest {
    /** Of one batch: {@link DoorbellProgram}. */
    private record Batch(long own, long agents, long counted, long requests, long waits) {
        static Batch of(String line) {
            long[] n = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
            return new Batch(n[0], n[1], n[2], n[3], n[4]);
        }
    }

    @Test
    void aCommitIsOneDoorbellAndOneWaitAndItsAnswerOneDoorbell() throws Exception {
        KernelDoorbells.switchOn();
        List<Batch> batches;
        try (Machines machines = Machines.with("there")) {
            machines.configure("there", "journal-size = 1M", "heartbeat-bound = 100000");
            machines.set("FARHEAP_HEARTBEAT", "20s");
            machines.set("FARHEAP_SCRUB", "off"); // it asks the agent, too
            machines.poolSet("there", "copy.set", "16M");
            Path set = machines.poolSet("here", "pool.set", "16M", "there copy.set");
            Process program = machines.java(DoorbellProgram.class, set.toString()).start();
            String said =
                    new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(program.waitFor()).isZero();
            batches = said.lines().map(Batch::of).toList();
        }
        batches.forEach(System.out::println);
        long commits = DoorbellProgram.COMMITS;
        // where nothing is sent for 100 ms an empty record tells what was committed: one more
        assertThat(batches)
                .hasSize(DoorbellProgram.BATCHES)
                .allSatisfy(
                        batch -> {
                            assertThat(batch.waits()).isEqualTo(commits);
                            assertThat(batch.own()).isBetween(commits, batch.counted());
                        })
                .contains(
                        Machines.byReads()
                                // a WRITE and two READs, which the agent has no part in
                                ? new Batch(commits, 0, commits, 3 * commits, commits)
                                : new Batch(commits, commits, commits, 2 * commits, commits));
    }
}
