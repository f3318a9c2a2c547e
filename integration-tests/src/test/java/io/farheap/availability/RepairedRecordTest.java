package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.coordinator.Coordinator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What no node decides: every copy of the set is lost, or the store is an older one. Real programs,
 * agents, files and commands, and an etcd of three.
 */
@Timeout(600)
class RepairedRecordTest {
    private static final int WRONG_USE = 2;
    private static final int REPLICA = 4;

    @TempDir private Path directory;

    private TurnNodes nodes;

    private record Run(int status, String said) {}

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 1);
        nodes.begin();
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    /** On a node: what the command says of it, with nobody at a terminal. */
    private Run ha(String node, String action, String... words) throws Exception {
        Path there = nodes.nodes.machines.machine(node);
        List<String> command = new ArrayList<>(List.of("ha", action));
        command.add(there.resolve("writer.set").toString());
        command.addAll(List.of("--copy", there.resolve("copy.set").toString()));
        command.addAll(List.of(action.equals("force") ? "--from" : "--node", node));
        command.addAll(List.of("--store", nodes.etcd.address(), "--pool", "numbers"));
        command.addAll(List.of(words));
        Process process =
                nodes.nodes
                        .machines
                        .farheap(command.toArray(String[]::new))
                        .redirectErrorStream(true)
                        .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), said);
    }

    private static void assertEnds(int status, Run run, String... words) {
        assertThat(run.said()).contains(words);
        assertThat(run.status()).as(run.said()).isEqualTo(status);
    }

    private void lose(String node, String... left) {
        if (!nodes.program(node).isGone()) {
            nodes.program(node).kill();
        }
        nodes.nodes.machines.killAll(node);
        nodes.patiently()
                .untilAsserted(() -> assertThat(nodes.record().set()).containsExactly(left));
    }

    private void awaitNobody() {
        nodes.patiently().until(() -> nodes.lead().isEmpty());
    }

    private byte[] bytes(String node) throws IOException {
        return Files.readAllBytes(nodes.nodes.part(node));
    }

    /** As the command says it, of a copy that is set apart. */
    private String uuidToName(String node) throws Exception {
        Run asked = ha(node, "discard", "--yes");
        assertEnds(WRONG_USE, asked, "nothing was changed", "--discard=");
        Matcher uuid = Pattern.compile("--discard=([-0-9a-f]{36})").matcher(asked.said());
        assertThat(uuid.find()).isTrue();
        return uuid.group(1);
    }

    @Test
    void theCopyThatIsLeftGoesOnAndTheLostOnesCommitsStayInItsFiles() throws Exception {
        lose("c", "a", "b");
        nodes.awaitMore(20);
        lose("b", "a");
        nodes.awaitMore(20);
        assertEnds(REPLICA, ha("b", "force", "--yes", "--lost", "a"), "announced as the writer");
        nodes.program("a").kill();
        nodes.nodes.machines.takeDown("a");
        nodes.nodes.machines.bringUp("b");
        nodes.nodes.machines.bringUp("c");
        long before = nodes.acknowledged.count();
        awaitNobody();
        TurnNodes.Program b = nodes.open("b");
        b.await("waiting waiting for one of a");

        long term = nodes.record().term();
        assertEnds(REPLICA, ha("b", "force", "--yes"), "nothing was changed", "--lost=a");
        assertEnds(WRONG_USE, ha("b", "force", "--lost", "a"), "may be lost", "to agree: ");
        assertEnds(REPLICA, ha("c", "force", "--yes", "--lost", "a"), "--lost=b");
        assertThat(nodes.record().term()).isEqualTo(term);

        Run forced = ha("b", "force", "--yes", "--lost", "a");
        assertEnds(0, forced, "copy of a: not reached", "commits in it", "set apart [a]");
        long count = Long.parseLong(b.await("open ").split(" ")[1]);
        assertThat(count).isPositive().isLessThan(before);
        assertThat(nodes.record().writer()).isEqualTo("b");
        nodes.patiently()
                .untilAsserted(() -> assertThat(nodes.record().set()).containsExactly("b", "c"));

        byte[] files = bytes("a");
        nodes.nodes.machines.bringUp("a");
        TurnNodes.Program a = nodes.open("a");
        a.await("waiting the copy of a was set apart");
        nodes.awaitMore(200);
        assertThat(bytes("a")).isEqualTo(files);
        assertThat(nodes.record().apart()).containsOnlyKeys("a");
        a.kill();

        String uuid = uuidToName("a");
        assertThat(bytes("a")).isEqualTo(files);
        assertEnds(WRONG_USE, ha("a", "discard", "--discard", uuid), "--yes");
        assertEnds(0, ha("a", "discard", "--yes", "--discard", uuid), "is given up");
        nodes.awaitWhole();
        assertThat(nodes.record().apart()).isEmpty();
    }

    @Test
    void theOldWriterThatComesBackIsDeposed() throws Exception {
        lose("c", "a", "b");
        lose("b", "a");
        TurnNodes.Program a = nodes.program("a");
        a.stop();
        nodes.nodes.machines.takeDown("a");
        nodes.nodes.machines.bringUp("b");
        nodes.nodes.machines.bringUp("c");
        awaitNobody();
        assertEnds(0, ha("b", "force", "--yes", "--lost", "a"), "recorded: ");
        TurnNodes.Program b = nodes.open("b");
        b.await("open ");
        nodes.awaitTermAfter(1);
        a.goOn();
        nodes.nodes.machines.bringUp("a");
        a.await("lost ");
        a.await("waiting ");
        nodes.awaitMore(50);
        assertThat(nodes.acknowledged.last().node()).isEqualTo("b");
    }

    private void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        to.resolve(from.relativize(file).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private interface Work {
        void on(Path member, Path kept) throws IOException;
    }

    /** While no member runs. */
    private void withTheStoreDown(Work work) throws Exception {
        for (int i = 0; i < 3; i++) {
            nodes.etcd.kill(i);
        }
        for (int i = 0; i < 3; i++) {
            work.on(directory.resolve("m" + i), directory.resolve("kept" + i));
        }
        for (int i = 0; i < 3; i++) {
            nodes.etcd.start(i);
        }
    }

    /** By more than what happens in the older one afterwards. */
    private void moveOn() {
        try (Coordinator other = nodes.etcd.connect()) {
            for (int i = 0; i < 200; i++) {
                other.compareAndSet("elsewhere/" + i, 0, new byte[1]);
            }
        }
    }

    @Test
    void afterAnOlderCopyOfTheStoreTheRecordIsWrittenAnewByWhatTheCopiesSay() throws Exception {
        withTheStoreDown(this::copy);
        nodes.awaitWhole();
        long number = nodes.record().number();
        moveOn();
        lose("c", "a", "b");
        nodes.awaitMore(500); // until b has seen that
        withTheStoreDown(
                (member, kept) -> {
                    delete(member);
                    copy(kept, member);
                });
        nodes.awaitWhole();
        assertThat(nodes.record().number()).isEqualTo(number);
        nodes.awaitMore(50);
        nodes.program("a").kill();
        TurnNodes.Program b = nodes.program("b");
        b.await("waiting The store is ");
        nodes.nodes.machines.bringUp("c");

        assertEnds(REPLICA, ha("b", "rebase", "--yes"), "only its own node can tell", "--lost=a");
        assertEnds(WRONG_USE, ha("a", "rebase"), "copy of c: term 1", "to agree: ");
        assertThat(nodes.record().number()).isEqualTo(number);
        assertEnds(0, ha("a", "rebase", "--yes"), "set [a, b]", "set apart [c]", "recorded: term ");
        b.await("open ");
        nodes.awaitMore(50);
        nodes.open("a").await("waiting b writes");
        String uuid = uuidToName("c");
        assertEnds(0, ha("c", "discard", "--yes", "--discard", uuid), "is given up");
        nodes.awaitWhole();
        nodes.judge();
    }
}
