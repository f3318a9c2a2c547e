package io.farheap.it.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.it.support.Agreement;
import io.farheap.it.support.Machines;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicaPolicies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A C program, which knows nothing of remote replicas, uses a pool in between. */
@Tag("deep")
@Timeout(180)
class ReplicaAfterCProgramTest {
    private static final long SEED = 11;

    @Test
    void theReplicaIsRefusedUntilSomebodyDecidesUnderEveryPolicy() throws Exception {
        NativeJudge.require();
        try (Machines machines = Machines.with("there")) {
            machines.configure("there", "journal-size = 16M");
            machines.poolSet("there", "copy.set", "16M");
            Path set = machines.poolSet("here", "bank.set", "16M");
            Path part = machines.here().resolve("bank.part0");
            ObjectPool.create(set, "").close();
            set = machines.poolSet("here", "bank.set", "16M", "there copy.set");
            work(machines, set, ReplicaPolicy.FAIL, 1);
            byte[] before = Files.readAllBytes(machines.machine("there").resolve("copy.part0"));

            NativeJudge.work(part, SEED, 40);

            for (ReplicaPolicy policy :
                    new ReplicaPolicy[] {ReplicaPolicy.FAIL, ReplicaPolicy.DEGRADE}) {
                Path opened = set;
                assertThatThrownBy(() -> work(machines, opened, policy, 2))
                        .isInstanceOf(FarheapException.class)
                        .hasMessageContaining(
                                "replica there copy.set: its history and the local pool's can't be"
                                        + " compared")
                        .hasMessageContaining(
                                "to keep the local pool: farheap sync --overwrite \"there"
                                        + " copy.set\" "
                                        + set)
                        .hasMessageContaining(
                                "to keep the replica: farheap sync --from \"there copy.set\" "
                                        + set);
            }
            byte[] after = Files.readAllBytes(machines.machine("there").resolve("copy.part0"));
            assertThat(Arrays.mismatch(before, 4096, before.length, after, 4096, after.length))
                    .isEqualTo(-1);

            Process refused =
                    machines.farheap("sync", "--overwrite", "there copy.set", set.toString())
                            .redirectErrorStream(true)
                            .start();
            String said = new String(refused.getInputStream().readAllBytes(), UTF_8);
            assertThat(refused.waitFor()).as(said).isEqualTo(2);
            String[] agreed = Agreement.words(said);
            assertThat(agreed).as("the C program's commits may be there alone").contains("--yes");
            Process sync =
                    machines.farheap(agreed)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            assertThat(sync.waitFor()).isZero();
            work(machines, set, ReplicaPolicy.FAIL, 3);
            NativeJudge.assertConsistent(part);
        }
    }

    private static void work(Machines machines, Path set, ReplicaPolicy policy, long seed) {
        try (ObjectPool pool =
                ClassPathReplicas.replacedBy(
                        opened ->
                                RemoteReplication.attach(
                                        opened,
                                        AttachOptions.NONE,
                                        machines.settings()
                                                .withPolicies(
                                                        new ReplicaPolicies(policy, Map.of()))),
                        () -> ObjectPool.open(set, ""))) {
            Listing.assertEveryObjectIsWhole(pool, "seed " + seed);
            new RandomWorkload(pool, seed).run(30);
        }
    }
}
