package io.farheap.replication.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.fabric.FabricKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class ControlClientTest {
    private static final RemoteReplica REPLICA = new RemoteReplica("ada", "target", 0, "bank.set");
    private static final ControlTimes PATIENT =
            new ControlTimes(
                    Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(10));
    private static final ControlTimes HASTY =
            new ControlTimes(
                    Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofSeconds(10));

    /** As {@link #HASTY}, for what is said before: a loaded machine takes its time. */
    private static final ControlTimes LESS_HASTY =
            new ControlTimes(
                    Duration.ofSeconds(10), Duration.ofMillis(2000), Duration.ofSeconds(10));

    /** No greeting comes, and what comes in its place must be read first. */
    private static final ControlTimes WITHOUT_GREETING =
            new ControlTimes(
                    Duration.ofMillis(2000), Duration.ofMillis(200), Duration.ofSeconds(10));

    private static final ControlTimes BEATING =
            new ControlTimes(
                    Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofMillis(200));
    private static final Request.Hello HELLO =
            new Request.Hello(
                    Reply.VERSION,
                    Purpose.INSPECT,
                    "bank.set",
                    "",
                    "",
                    0,
                    Blob.EMPTY,
                    0,
                    0,
                    List.of(),
                    SlotReport.NOT_KNOWN,
                    false,
                    false,
                    false,
                    "me",
                    1000,
                    SessionOwner.NONE,
                    FabricKind.TCP_ONLY,
                    null,
                    null,
                    null);
    private static final Reply.Verdict VERDICT =
            new Reply.Verdict(AttachDecision.NONE, null, false, Blob.EMPTY, 0, List.of(), "", null);

    private ScriptedAgent agent;

    @BeforeEach
    void start() {
        agent = new ScriptedAgent();
    }

    @AfterEach
    void end() {
        agent.close();
    }

    @Test
    void requestsAreAnsweredOneByOne() throws Exception {
        ControlClient client = attached(PATIENT);
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            assertThat(agent.hear()).isEqualTo(new Request.Prepare());
                            agent.say(new Reply.Done("prepare"));
                            assertThat(agent.hear()).isEqualTo(new Request.Confirm(8));
                            agent.say(new Reply.Done("confirm"));
                        });
        client.perform(new Request.Prepare());
        client.perform(new Request.Confirm(8));
        answers.join();
        assertThat(client.failure()).isNull();
    }

    /** It answers and shows that it lives, and yet its pipe is full. */
    @Test
    void anAgentThatReadsNothingIsGivenUp() throws Exception {
        ControlClient client = ControlClient.connect(new FullPipe(), REPLICA, BEATING);
        assertThatThrownBy(() -> client.perform(new Request.Prepare()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("has read nothing for 1000 ms");
        client.close();
    }

    /** Greets; what becomes of the bytes for the agent is up to the test. */
    private abstract static class Greeted extends OutputStream implements ControlTransport {
        private final Pipe toInitiator = Pipe.open();
        private final LineChannel agents =
                new LineChannel(
                        InputStream.nullInputStream(),
                        Channels.newOutputStream(toInitiator.sink()));
        private final LineChannel channel =
                new LineChannel(Channels.newInputStream(toInitiator.source()), this);

        Greeted() throws IOException {
            say(new Reply.Greeting(Reply.PROTOCOL, Reply.VERSION, 1, "target"));
        }

        void say(Reply reply) throws IOException {
            agents.writeLine(ControlCodec.encode(reply));
        }

        void endReplies() throws IOException {
            toInitiator.sink().close();
        }

        @Override
        public LineChannel channel() {
            return channel;
        }

        @Override
        public String lastWords() {
            return "";
        }

        @Override
        public void close() {
            kill();
        }
    }

    /** Takes no byte until it is broken. */
    private static final class FullPipe extends Greeted {
        private final CountDownLatch broken = new CountDownLatch(1);

        FullPipe() throws IOException {}

        @Override
        public void write(int b) throws IOException {
            try {
                broken.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IOException("broken pipe");
        }

        @Override
        public void kill() {
            broken.countDown();
        }
    }

    /** A shell that was killed may leave the agent its pipe, in which nothing comes any more. */
    @Test
    void nobodyWaitsForTheAnswerOfAnAgentThatWasLetGo() throws Exception {
        PipeLeft transport = new PipeLeft();
        ControlClient client = ControlClient.connect(transport, REPLICA, PATIENT);
        CompletableFuture<Void> call =
                CompletableFuture.runAsync(() -> client.perform(new Request.Prepare()));
        assertThat(transport.asked.await(10, TimeUnit.SECONDS)).isTrue();

        client.abandon();

        assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(FarheapException.class)
                .hasMessageContaining("was let go");
    }

    /** Hears, and says nothing more, not even that it ends. */
    private static final class PipeLeft extends Greeted {
        private final CountDownLatch asked = new CountDownLatch(1);

        PipeLeft() throws IOException {}

        @Override
        public void write(int b) {
            asked.countDown();
        }

        @Override
        public void kill() {
            // the agent is not reached by that
        }
    }

    @Test
    void anAnswerBeforeItsRequestIsAFault() throws IOException {
        agent.greets();
        ControlClient client = connect(PATIENT);
        agent.say(new Reply.Done("prepare"));
        await().until(() -> client.failure() != null);
        assertThat(client.failure()).hasMessageContaining("done, which nobody asked for");
        assertThat(agent.wasKilled()).isTrue();
        assertThatThrownBy(() -> client.perform(new Request.Prepare()))
                .hasMessageContaining("nobody asked for");
    }

    @Test
    void anAnswerToAnotherRequestIsAFault() throws Exception {
        ControlClient client = attached(PATIENT);
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            assertThat(agent.hear()).isEqualTo(new Request.Confirm(8));
                            agent.say(new Reply.Done("prepare"));
                        });
        assertThatThrownBy(() -> client.perform(new Request.Confirm(8)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("to confirm");
        answers.join();
        assertThat(agent.wasKilled()).isTrue();
    }

    @Test
    void aRefusalSaysWhyAndTheConnectionLives() throws Exception {
        ControlClient client = attached(PATIENT);
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            Request unused = agent.hear();
                            agent.say(
                                    new Reply.Refused(
                                            Reply.Code.WRONG_NUMBER,
                                            "it is prepared for 6, not 8",
                                            "open the pool again"));
                            unused = agent.hear();
                            agent.say(new Reply.Done("prepare"));
                        });
        assertThatThrownBy(() -> client.perform(new Request.Confirm(8)))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.code()).isEqualTo(Reply.Code.WRONG_NUMBER))
                .hasMessage(
                        "replica ada@target bank.set: it is prepared for 6, not 8; open the pool"
                                + " again");
        client.perform(new Request.Prepare());
        answers.join();
    }

    @Test
    void anAgentThatDiesIsReportedWithItsLastWords() throws Exception {
        agent.dies("ssh: connect to host target port 22: Connection refused");
        assertThatThrownBy(() -> connect(PATIENT))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.REPLICA))
                .hasMessageStartingWith("replica ada@target bank.set: ")
                .hasMessageContaining("Connection refused");
    }

    @Test
    void whateverEndsTheGreetingTheAgentIsLetGo() throws Exception {
        agent.greets();
        ControlTimes beyondAllClocks =
                new ControlTimes(
                        Duration.ofSeconds(Long.MAX_VALUE),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10));
        assertThatThrownBy(() -> connect(beyondAllClocks)).isInstanceOf(ArithmeticException.class);
        assertThat(agent.wasKilled()).isTrue();
    }

    @Test
    void aGreetingThatNeverComesIsNotAwaitedForEver() {
        assertThatThrownBy(() -> connect(HASTY)).hasMessageContaining("greeting within 200 ms");
        assertThat(agent.wasKilled()).isTrue();
    }

    @Test
    void theHighestVersionThatBothKnowIsSpoken() throws Exception {
        agent.say(greeting(Reply.VERSION, Reply.VERSION + 1));
        ControlClient client = connect(PATIENT);
        assertThat(client.version()).isEqualTo(Reply.VERSION);
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            Request.Hello heard = (Request.Hello) agent.hear();
                            assertThat(heard.spoken()).isEqualTo(SpokenVersions.OURS);
                            agent.say(VERDICT.in(Reply.VERSION));
                        });
        assertThat(client.hello(HELLO).version()).isEqualTo(Reply.VERSION);
        answers.get();
        client.abandon();
    }

    @Test
    void anAgentThatAnswersInAVersionThatWasNotAgreedIsLeft() throws Exception {
        agent.say(greeting(Reply.VERSION, Reply.VERSION + 1));
        ControlClient client = connect(PATIENT);
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            Request unused = agent.hear();
                            agent.say(VERDICT.in(Reply.VERSION + 1));
                        });
        assertThatThrownBy(() -> client.hello(HELLO))
                .hasMessageContaining("answered in version " + (Reply.VERSION + 1));
        answers.get();
        assertThat(agent.wasKilled()).isTrue();
    }

    @Test
    void withoutACommonVersionBothSidesAreToldWhoIsToBeUpgraded() throws Exception {
        withoutACommonVersion(Reply.VERSION + 1, Reply.VERSION + 2, "upgrade the program first");
        agent.close();
        agent = new ScriptedAgent();
        withoutACommonVersion(Reply.VERSION - 2, Reply.VERSION - 1, "upgrade the agent first");
    }

    private void withoutACommonVersion(int lowest, int highest, String advice) throws Exception {
        agent.say(greeting(lowest, highest));
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            Request.Hello heard = (Request.Hello) agent.hear();
                            assertThat(heard.spoken()).isEqualTo(SpokenVersions.OURS);
                            assertThat(heard.purpose()).isEqualTo(Purpose.INSPECT);
                            agent.say(new Reply.Refused(Reply.Code.BAD_MESSAGE, "No.", "Ask."));
                        });
        assertThatThrownBy(() -> connect(PATIENT))
                .hasMessageEndingWith("; the agent says: No; ask")
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining("the agent speaks farheap-control %d to %d", lowest, highest)
                .hasMessageContaining("this program " + SpokenVersions.OURS)
                .hasMessageContaining(advice);
        answers.get();
        assertThat(agent.wasKilled()).isTrue();
    }

    /** Its end is not the first that a person is to hear of. */
    @Test
    void anAgentWithoutACommonVersionThatIsGoneIsNamedByItsVersion() throws Exception {
        agent.say(greeting(Reply.VERSION + 1, Reply.VERSION + 1));
        agent.dies("I know no such hello (status 1)");
        assertThatThrownBy(() -> connect(PATIENT))
                .hasMessageMatching(
                        "replica .*: the agent speaks farheap-control .*; and instead of a refusal:"
                                + " .* lost.*: I know no such hello \\(status 1\\).*")
                .hasMessageContaining("upgrade the program first");
    }

    private static Reply.Greeting greeting(int lowest, int highest) {
        return new Reply.Greeting(Reply.PROTOCOL, highest, 1, "target", lowest);
    }

    @Test
    void anotherProtocolIsNoAgent() throws Exception {
        agent.say(new Reply.Greeting("tea", Reply.VERSION, 1, "target"));
        assertThatThrownBy(() -> connect(PATIENT))
                .hasMessageContaining("speaks tea " + Reply.VERSION)
                .hasMessageContaining("it is no agent of Farheap");
    }

    @Test
    void whatIsNoMessageIsNamed() throws Exception {
        agent.sayBytes("Welcome to Debian!");
        assertThatThrownBy(() -> connect(WITHOUT_GREETING))
                .hasMessageContaining("the remote shell prints: \"Welcome to Debian!\"");
    }

    @Test
    void whatAShellPrintsBeforeTheGreetingIsSkipped() throws Exception {
        agent.sayBytes("\u001b[1mWelcome to Debian!\u001b[0m");
        agent.sayBytes("");
        agent.sayBytes("{ no message }");
        agent.sayBytes(
                "Last login: today "
                        + new String(
                                ControlCodec.encode(
                                        new Reply.Greeting(
                                                Reply.PROTOCOL, Reply.VERSION, 1, "target")),
                                StandardCharsets.UTF_8));
        ControlClient client = connect(PATIENT);
        assertThat(client.failure()).isNull();
        client.abandon();
    }

    @Test
    void whatAJvmPrintsBetweenAnswersIsSkippedAndToldWhenTheAgentIsLost() throws Exception {
        ControlClient client = attached(PATIENT);
        agent.sayBytes("OpenJDK 64-Bit Server VM warning: Sharing is only supported");
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            assertThat(agent.hear()).isEqualTo(new Request.Prepare());
                            agent.sayBytes("another line");
                            agent.say(new Reply.Done("prepare"));
                        });
        client.perform(new Request.Prepare());
        answers.join();
        agent.dies("killed");
        await().until(() -> client.failure() != null);
        assertThat(client.failure())
                .hasMessageContaining("prints: \"OpenJDK 64-Bit Server VM warning");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"type\":\"nothing\"}", "{}", "[\"type\":\"heartbeat\"}"})
    void anObjectThatIsNoMessageIsAFaultOnceTheAgentHasGreeted(String line) throws Exception {
        ControlClient client = attached(PATIENT);
        agent.sayBytes(line);
        await().until(() -> client.failure() != null);
        assertThat(client.failure()).hasMessageContaining("no control message");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void aShellThatPrintsForEverIsGivenUp(int length) throws Exception {
        CompletableFuture<Void> unused =
                onTheAgent(
                        () -> {
                            while (!agent.wasKilled()) {
                                agent.sayBytes("y".repeat(length));
                            }
                        });
        assertThatThrownBy(() -> connect(PATIENT))
                .hasMessageContaining("is no message of an agent")
                .hasMessageContaining("prints: \"y");
    }

    /** What it wrote before it ended is in the pipe when nobody takes the next request. */
    @Test
    void whyAnAgentEndedIsToldAndNotThatThePipeIsBroken() throws Exception {
        ControlClient client = ControlClient.connect(new BrokenPipe(), REPLICA, PATIENT);
        assertThatThrownBy(() -> client.perform(new Request.Prepare()))
                .hasMessageContaining("The journal's disk failed");
        client.abandon();
    }

    /** At the first byte it says why it ends, and ends. */
    private static final class BrokenPipe extends Greeted {
        BrokenPipe() throws IOException {}

        @Override
        public void write(int b) throws IOException {
            say(new Reply.Refused(Reply.Code.MEDIUM, "The journal's disk failed.", ""));
            endReplies();
            throw new IOException("Broken pipe");
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            write(bytes[0]);
        }

        @Override
        public String lastWords() {
            return "the remote shell command ended with status 1";
        }

        @Override
        public void kill() {}
    }

    @Test
    void anAgentThatIsSlowToBeatWhileItWorksIsWaitedForAsLongAsForItsStart() throws Exception {
        ControlTimes times =
                new ControlTimes(
                        Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofMillis(200));
        ControlClient client = attached(times);
        long begin = System.nanoTime();
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            assertThat(agent.hear()).isEqualTo(new Request.Prepare());
                            await().until(() -> System.nanoTime() - begin > 2_000_000_000L);
                            agent.say(new Reply.Done("prepare"));
                        });
        client.perform(new Request.Prepare()); // twice the 1000 ms of five heartbeats
        answers.join();
    }

    @Test
    void anAgentWhoseDataArrivesIsAlive() throws Exception {
        AtomicLong arrived = new AtomicLong();
        ControlTimes times =
                new ControlTimes(
                        Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofMillis(200));
        ControlClient client = attached(times);
        client.alsoHeardBy(arrived::incrementAndGet);
        long begin = System.nanoTime();
        await().until(() -> System.nanoTime() - begin > 2_000_000_000L);
        assertThat(client.failure()).isNull();
        client.alsoHeardBy(() -> 7);
        await().until(() -> client.failure() != null);
        assertThat(client.failure()).hasMessageContaining("silent for 1 s");
    }

    @Test
    void anAnswerThatNeverComesIsNotAwaitedForEver() throws Exception {
        ControlClient client = attached(LESS_HASTY);
        assertThatThrownBy(() -> client.perform(new Request.Prepare()))
                .hasMessageContaining("the answer to prepare within 2 s");
        assertThat(agent.wasKilled()).isTrue();
    }

    @Test
    void heartbeatsAreSentAndASilentAgentIsGivenUp() throws Exception {
        ControlClient client = attached(BEATING);
        assertThat(agent.hearAny()).isEqualTo(new Request.Heartbeat());
        AtomicReference<FarheapException> lost = new AtomicReference<>();
        client.onLost(lost::set);
        await().until(() -> lost.get() != null);
        assertThat(lost.get()).hasMessageContaining("silent for 1 s");
        assertThat(agent.wasKilled()).isTrue();
    }

    @Test
    void anAgentThatBeatsIsNotGivenUp() throws Exception {
        ControlClient client = attached(BEATING);
        for (int i = 0; i < 8; i++) {
            assertThat(agent.hearAny()).isEqualTo(new Request.Heartbeat());
            agent.say(new Reply.Heartbeat());
        }
        assertThat(client.failure()).isNull();
    }

    @Test
    void closeSaysByeOnce() throws Exception {
        ControlClient client = attached(PATIENT);
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            assertThat(agent.hear()).isEqualTo(new Request.Bye());
                            agent.say(new Reply.Done("bye"));
                            assertThat(agent.hear()).isNull();
                        });
        client.close();
        client.close();
        answers.join();
        assertThat(agent.wasKilled()).isFalse();
    }

    @Test
    void anAbandonedConnectionEndsWithoutAWord() throws Exception {
        ControlClient client = attached(PATIENT);
        client.abandon();
        assertThat(agent.hear()).isNull();
        client.close();
    }

    private ControlClient connect(ControlTimes times) {
        return ControlClient.connect(agent.transport(), REPLICA, times);
    }

    private ControlClient attached(ControlTimes times) throws Exception {
        agent.greets();
        ControlClient client = connect(times);
        CompletableFuture<Void> answers =
                onTheAgent(
                        () -> {
                            assertThat(agent.hear()).isEqualTo(HELLO);
                            agent.say(VERDICT);
                        });
        assertThat(client.hello(HELLO)).isEqualTo(VERDICT);
        answers.join();
        return client;
    }

    private interface Script {
        void run() throws IOException;
    }

    private static CompletableFuture<Void> onTheAgent(Script script) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        script.run();
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }
}
