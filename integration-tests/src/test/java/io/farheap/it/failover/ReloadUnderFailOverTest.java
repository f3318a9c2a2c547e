package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node is added to a pool under automatic fail-over, and another one leaves it, under load. */
@Tag("deep")
@Timeout(400)
class ReloadUnderFailOverTest {
    @TempDir private Path directory;

    private TurnNodes nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 2);
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    private Path set() {
        return nodes.nodes.machines.machine("a").resolve("writer.set");
    }

    private void name(String... others) throws IOException {
        StringBuilder lines = new StringBuilder("PMEMPOOLSET\n16M " + nodes.nodes.part("a") + "\n");
        for (String other : others) {
            lines.append("REPLICA " + other + " copy.set\n");
        }
        Files.writeString(set(), lines.toString());
    }

    private String reload(int code) throws Exception {
        Process process =
                nodes.nodes
                        .machines
                        .farheap("reload", set().toString())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(code);
        return said;
    }

    private void awaitSet(String... names) {
        nodes.patiently()
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(nodes.record().set()).containsExactly(names));
    }

    @Test
    void aNodeTakesThePlaceOfAnotherAndTakesOver() throws Exception {
        name("b");
        nodes.create("a").await("open 0 1");
        nodes.awaitMore(20);
        awaitSet("a", "b");
        name();
        assertThat(reload(3)).contains("min-copies = 2", "nothing has changed");
        name("c");
        assertThat(reload(0)).contains("c copy.set  ATTACHED", "b copy.set  has left");
        awaitSet("a", "c");
        nodes.patiently()
                .untilAsserted(
                        () ->
                                assertThat(nodes.lead().orElseThrow().nodes())
                                        .containsExactly("a", "c"));
        nodes.awaitMore(20);
        name("b", "c");
        assertThat(reload(0)).contains("b copy.set  ATTACHED");
        awaitSet("a", "b", "c");
        nodes.awaitMore(20);
        Acknowledgements.One last = nodes.acknowledged.last();
        TurnNodes.Program unused = nodes.open("c");
        nodes.program("c").await("waiting a writes");
        nodes.program("a").kill();
        assertThat(nodes.awaitTermAfter(last.term()).node()).isEqualTo("c");
        nodes.awaitMore(20);
        nodes.judge();
    }
}
