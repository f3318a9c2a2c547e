package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A copy that has left the set is moved aside by one command, and made anew by the writer. */
@Timeout(300)
@Tag("deep")
class ReinitTest {
    private static final int WRONG_USE = 2;
    private static final String ASIDE = ".aside-";

    @TempDir private Path directory;

    private TurnNodes nodes;

    /** The command that has ended, and what it said. */
    private record Run(int status, String said) {}

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 2);
        nodes.begin();
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    private Path at(String node, String file) {
        return nodes.nodes.machines.machine(node).resolve(file);
    }

    private Run reinit(String node, String on, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("ha", "reinit", "--node", node));
        words.addAll(List.of("--copy", at(on, "copy.set").toString()));
        words.addAll(List.of("--store", nodes.servers.address(), "--pool", "numbers"));
        words.addAll(List.of(more));
        Process process =
                nodes.nodes
                        .machines
                        .farheap(words.toArray(String[]::new))
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), said.replaceAll("\\s+", " "));
    }

    private void assertRefused(Run run, String why) throws IOException {
        assertThat(run.said()).contains(why);
        assertThat(run.status()).isNotZero();
        assertThat(aside("b")).isEmpty();
        assertThat(aside("c")).isEmpty();
    }

    private List<String> aside(String node) throws IOException {
        try (Stream<Path> files = Files.list(nodes.nodes.machines.machine(node))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.contains(ASIDE))
                    .sorted()
                    .toList();
        }
    }

    /** The program that was killed is announced for as long as its ttl. */
    private Run reinitOnceNobodyWaits(String node) throws Exception {
        AtomicReference<Run> last = new AtomicReference<>(reinit(node, node));
        nodes.patiently()
                .until(
                        () -> {
                            if (last.get().said().contains("a program waits on")) {
                                last.set(reinit(node, node));
                            }
                            return !last.get().said().contains("a program waits on");
                        });
        return last.get();
    }

    private void leaveTheSet(String node) {
        nodes.nodes.machines.killAll(node);
        nodes.patiently()
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(nodes.record().set()).doesNotContain(node));
    }

    @Test
    void aCopyThatHasLeftIsMovedAsideAndMadeAnew() throws Exception {
        nodes.program("c").kill();
        leaveTheSet("c");
        nodes.awaitMore(20);
        byte[] content = Files.readAllBytes(at("c", "pool.part0"));

        // A link is moved by hand.
        Path inTheWay = at("c", "pool.part0.journal");
        Path elsewhere = at("c", "elsewhere");
        Files.move(inTheWay, elsewhere);
        Files.createSymbolicLink(inTheWay, elsewhere);
        Run refused = reinitOnceNobodyWaits("c");
        assertThat(refused.said()).contains("nothing was moved");
        assertThat(aside("c")).isEmpty();
        Files.move(elsewhere, inTheWay, StandardCopyOption.REPLACE_EXISTING);

        Run moved = reinitOnceNobodyWaits("c");

        assertThat(moved.said()).contains("pool.part0 is now ", "next : the writer makes");
        assertThat(moved.status()).isZero();
        String part =
                aside("c").stream()
                        .filter(name -> name.matches("pool\\.part0\\.aside-[0-9TZ]+"))
                        .findFirst()
                        .orElseThrow();
        assertThat(at("c", part)).hasBinaryContent(content);
        assertThat(aside("c")).anyMatch(name -> name.startsWith("pool.part0.journal" + ASIDE));
        assertThat(at("c", "pool.part0")).doesNotExist();
        assertThat(at("c", "pool.part0.journal")).doesNotExist();

        nodes.nodes.machines.bringUp("c");
        nodes.awaitWhole();
        TurnNodes.Program unused = nodes.open("c");
        assertThat(at("c", part)).hasBinaryContent(content);
        assertRefusedAgain();
        nodes.judgeCopies(3);
    }

    /** As a loss of power in the middle leaves it: the journal goes last. */
    @Test
    void afterACutTheSameCommandMovesTheRest() throws Exception {
        nodes.program("c").kill();
        leaveTheSet("c");
        Path cut = at("c", "pool.part0" + ASIDE + "cut");
        Files.move(at("c", "pool.part0"), cut);
        byte[] content = Files.readAllBytes(cut);

        Run moved = reinitOnceNobodyWaits("c");

        assertThat(moved.status()).as(moved.said()).isZero();
        assertThat(at("c", "pool.part0.journal")).doesNotExist();
        nodes.nodes.machines.bringUp("c");
        nodes.awaitWhole();
        assertThat(cut).hasBinaryContent(content);
    }

    private void assertRefusedAgain() throws Exception {
        int before = aside("c").size();
        Run again = reinit("c", "c");
        assertThat(again.status()).isNotZero();
        assertThat(aside("c")).hasSize(before);
    }

    @Test
    void aCopyThatCountsStaysAsItIs() throws Exception {
        assertRefused(reinit("b", "b"), "is attached to");
        nodes.program("b").kill();
        leaveTheSet("b");
        assertRefused(reinit("x", "b"), "no REPLICA line of a leads to x");
        assertRefused(reinit("a", "b"), "a writes the pool");
        nodes.nodes.machines.killAll("a");
        nodes.patiently().until(() -> nodes.lead().isEmpty());
        nodes.program("c").kill();
        assertRefused(reinit("b", "b"), "nobody is announced as the writer");
        assertThat(reinit("b", "b", "--json").status()).isEqualTo(WRONG_USE);
        assertThat(at("b", "pool.part0")).exists();
        assertThat(at("b", "pool.part0.journal")).exists();
    }
}
