package io.farheap.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentOptions;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.session.SessionTest;
import io.farheap.agent.session.TestInitiator;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's command line: what it prints, and the status it ends with. */
class AgentTest {
    private static final int ENOENT = 2;
    private static final int EBUSY = 16;
    private static final int EINVAL = 22;

    @TempDir private Path directory;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path config;
    private Path log;

    @BeforeEach
    void configure() throws IOException {
        config = directory.resolve("agent.conf");
        log = directory.resolve("agent.log");
        Files.writeString(
                config,
                "poolset-dir = "
                        + directory
                        + "\nlog-file = "
                        + log
                        + "\nlog-level = debug # all of it\njournal-size = 64K\n");
        Files.writeString(
                directory.resolve("bank.set"),
                "PMEMPOOLSET\n10M " + directory.resolve("part0") + "\n");
    }

    private int run(String... args) {
        return runWith("", args);
    }

    private int runWith(String input, String... args) {
        out.reset();
        err.reset();
        return Agent.run(
                args,
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void tellsItsUsageAndItsVersion() {
        assertThat(run("--help")).isZero();
        assertThat(out()).startsWith("Usage: farheap agent").contains("--poolset-dir");
        assertThat(run("-V")).isZero();
        assertThat(out()).startsWith("farheap agent");
        assertThat(err()).isEmpty();
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        for (String[] args :
                new String[][] {
                    {"--frobnicate"}, {"--log-level"}, {"--force=yes"}, {"-t", "many"}, {"word"}
                }) {
            assertThat(run(args)).isEqualTo(Agent.USAGE);
            assertThat(err()).contains("Usage: farheap agent");
            assertThat(out()).isEmpty();
        }
    }

    @Test
    void refusesSettingsThatMeanNothing() throws IOException {
        assertThat(run("-c", config.toString(), "--journal-size", "1")).isEqualTo(Agent.USAGE);
        assertThat(err()).contains("The setting journal-size must be a size");
        Files.writeString(config, "\nlog-level = loud\n");
        assertThat(run("-c", config.toString())).isEqualTo(Agent.FAILED);
        assertThat(err()).contains(config + ":2: log-level = loud").contains("err, warn");
        assertThat(run("-c", directory.resolve("none").toString())).isEqualTo(Agent.FAILED);
        assertThat(err()).contains("There is no configuration file");
    }

    @Test
    void greetsAndEndsWithItsInput() {
        assertThat(runWith("", "-c", config.toString())).isEqualTo(Agent.FAILED);
        assertThat(out()).contains("\"type\":\"greeting\"").endsWith("\n");
        assertThat(runWith("{\"type\":\"bye\"}\n", "-c", config.toString())).isZero();
        assertThat(out()).contains("\"type\":\"done\"");
        assertThat(log).content().contains("notice: The initiator ended the control connection");
        assertThat(err()).isEmpty();
    }

    @Test
    void saysOnStandardErrorThatItsLogCannotBeOpened() {
        String nowhere = directory.resolve("none/agent.log").toString();
        assertThat(run("-c", config.toString(), "--log-file", nowhere)).isEqualTo(Agent.FAILED);
        assertThat(err()).contains("Cannot open the log file " + nowhere);
    }

    @Test
    void removesAReplicaAndItsPoolset() throws Exception {
        assertThat(run("-c", config.toString(), "--remove", "bank.set")).isEqualTo(ENOENT);
        assertThat(err()).contains("has no files on the target");
        assertThat(run("-c", config.toString(), "--remove", "../bank.set")).isEqualTo(EINVAL);

        try (TestInitiator initiator = TestInitiator.connect(directory)) {
            Reply unused = initiator.ask(TestInitiator.attach("bank.set", 2, 5000));
            assertThat(initiator.ask(new Request.StartSync())).isInstanceOf(Reply.Done.class);
            assertThat(run("-c", config.toString(), "--remove", "bank.set")).isEqualTo(EBUSY);
            assertThat(err()).contains("attached to a test");
            assertThat(initiator.ask(new Request.Bye())).isInstanceOf(Reply.Done.class);
            assertThat(initiator.awaitEnd()).isTrue();
        }
        // Half a copy: nobody loses a commit with it.
        assertThat(run("-c", config.toString(), "--remove", "bank.set", "--pool-set"))
                .isEqualTo(Agent.USAGE);
        assertThat(err()).contains("nobody is at a terminal", "nothing was removed; to agree: ");
        assertThat(directory.resolve("part0")).exists();
        assertThat(run("-c", config.toString(), "--remove", "bank.set", "--pool-set", "--yes"))
                .isZero();
        assertThat(directory)
                .isDirectoryNotContaining(file -> file.getFileName().toString().contains("part0"))
                .isDirectoryNotContaining("glob:**/bank.set");
    }

    @Test
    void removesAReplicaWithCommitsOnlyWhereItIsNamed() throws Exception {
        join();
        assertThat(run("-c", config.toString(), "--remove", "bank.set", "--yes"))
                .isEqualTo(Agent.USAGE);
        assertThat(err())
                .contains("INSYNC, number 5000, 0 commits in it")
                .contains("can't be known here", "nothing was removed; to lose it: farheap agent ");
        assertThat(directory.resolve("part0")).exists();

        String[] typed = err().strip().replaceFirst("(?s).*farheap agent ", "").split(" ");
        String[] slip = typed.clone();
        slip[slip.length - 1] = "00000000-0000-0000-0000-000000000000";
        assertThat(run(slip)).isEqualTo(Agent.USAGE);
        assertThat(err()).contains("does not name this replica: nothing was removed");
        assertThat(directory.resolve("part0")).exists();

        assertThat(run(typed)).as("%s", err()).isZero();
        assertThat(directory)
                .isDirectoryNotContaining(file -> file.getFileName().toString().contains("part0"));
    }

    @Test
    void asksAtATerminal() throws Exception {
        join();
        AgentConfiguration configuration =
                AgentConfiguration.load(
                        AgentOptions.parse("-c", config.toString()), directory, directory);
        ReplicaPaths paths =
                ReplicaPaths.of(new PoolsetDirectory(configuration.poolsetDirectory()), "bank.set");
        String uuid =
                new PoolHeader(
                                MemorySegment.ofArray(
                                        ReplicaInspection.of(paths, false).header().toByteArray()))
                        .uuid()
                        .toString();

        assertThatThrownBy(() -> order("n\n", "--discard", uuid).require(paths))
                .hasMessage("not agreed to: nothing was removed");
        assertThat(err()).contains("remove the replica bank.set ? [y/N] ");
        assertThatCode(() -> order("y\n", "--discard", uuid).require(paths))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> order("y\n").require(paths))
                .hasMessageEndingWith("farheap agent --remove bank.set --discard " + uuid);
    }

    private RemovalOrder order(String answer, String... more) {
        err.reset();
        List<String> typed = new ArrayList<>(List.of("--remove", "bank.set"));
        typed.addAll(List.of(more));
        return new RemovalOrder(
                AgentOptions.parse(typed.toArray(String[]::new)),
                typed,
                new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                () -> true);
    }

    /** A program has the replica, and lets go of it. */
    private void join() throws Exception {
        try (TestInitiator initiator = TestInitiator.connect(directory)) {
            Reply unused = initiator.ask(TestInitiator.attach("bank.set", 2, 5000));
            assertThat(initiator.ask(new Request.StartSync())).isInstanceOf(Reply.Done.class);
            try (RandomAccessFile part =
                    new RandomAccessFile(directory.resolve("part0").toFile(), "rw")) {
                part.seek(Descriptor.OFFSET);
                part.write(SessionTest.descriptor().toArray(ValueLayout.JAVA_BYTE));
            }
            for (Request request :
                    List.of(
                            new Request.SyncComplete(5000),
                            new Request.Confirm(5000),
                            new Request.Bye())) {
                assertThat(initiator.ask(request)).isInstanceOf(Reply.Done.class);
            }
            assertThat(initiator.awaitEnd()).isTrue();
        }
    }
}
