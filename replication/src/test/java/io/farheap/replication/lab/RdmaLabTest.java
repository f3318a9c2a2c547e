package io.farheap.replication.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Starts a machine with RDMA and persistent memory ({@code lab/rdma-lab}) and runs there the tests
 * that need them: {@code mvn verify -Prdma-lab -pl replication -am}.
 */
@Tag("rdma-lab")
@Timeout(1200)
class RdmaLabTest {
    /** A guest has no time for the second compiler. */
    private static final String JVM_FLAGS =
            "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx1g --enable-native-access=ALL-UNNAMED"
                    + " --sun-misc-unsafe-memory-access=allow"
                    + " --add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    private static final String STREAM = "io.farheap.replication.";
    private static final String VERBS = STREAM + "fabric.verbs.";

    @Test
    void bothEndsInOneGuest() throws Exception {
        run(VERBS + "VerbsFabricTest", VERBS + "VerbsRemovalTest");
    }

    /** The same tests as over tcp: the stream of commits, with all that goes wrong. */
    @Test
    void commitsOverVerbs() throws Exception {
        run(STREAM + "CommitStreamTest", STREAM + "ResendTest");
    }

    private static void run(String... tests) throws IOException, InterruptedException {
        String line =
                "exec '%s/bin/java' %s -Drdma.address=$LAB_ADDRESS -Drdma.device=rdma0 -Drdma.dax=/pmem -cp '%s' %s %s"
                        .formatted(
                                System.getProperty("java.home"),
                                JVM_FLAGS,
                                System.getProperty("java.class.path"),
                                GuestTests.class.getName(),
                                String.join(" ", tests));
        Process lab =
                new ProcessBuilder(List.of("../lab/rdma-lab", "run", line))
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader said = lab.inputReader(StandardCharsets.UTF_8)) {
            for (String next = said.readLine(); next != null; next = said.readLine()) {
                System.out.println(next);
            }
        } finally {
            lab.destroy();
        }
        assertThat(lab.waitFor()).as("the lab's exit status, see above").isZero();
    }
}
