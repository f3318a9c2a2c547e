package io.farheap.replication.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.AgentPipes;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.Reply;
import io.farheap.replication.fabric.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An agent whose greeting is lost is called again, and none that is slow is given up for that. */
@Timeout(60)
class AgentCallsTest {
    private static final RemoteReplica REPLICA = new RemoteReplica(null, "b", 0, "copy.set");
    private static final Duration SOON = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(50);

    private final List<Agent> agents = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Agent> second = new CompletableFuture<>();

    /** What becomes of the agents, in the order of their calls; of all others as of the last. */
    private List<Fate> fates;

    private enum Fate {
        GREETS,
        IS_SILENT,
        GREETS_AFTER_THE_FIRST,
        GREETS_WHEN_ANOTHER_ONE_IS_CALLED,
        ENDS_WHEN_ANOTHER_ONE_IS_CALLED,
        CAN_NOT_BE_STARTED
    }

    /** One that was called. */
    private final class Agent implements ControlTransport {
        private final AgentPipes pipes = new AgentPipes();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile boolean let;

        void greet() {
            try {
                pipes.agent()
                        .writeLine(
                                ControlCodec.encode(
                                        new Reply.Greeting(Reply.PROTOCOL, Reply.VERSION, 1, "b")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public LineChannel channel() {
            return pipes.initiator();
        }

        @Override
        public String lastWords() {
            return "";
        }

        @Override
        public void close() {
            kill();
        }

        @Override
        public void kill() {
            let = true;
            pipes.closeInitiator();
            boolean unused = ended.complete(null);
        }
    }

    private final AgentConnector connector =
            new AgentConnector() {
                @Override
                public ControlTransport start(RemoteReplica replica, int index) {
                    Fate fate = fates.get(Math.min(agents.size(), fates.size() - 1));
                    Agent agent = new Agent();
                    agents.add(agent);
                    if (agents.size() > 1) {
                        boolean unused = second.complete(agent);
                    }
                    switch (fate) {
                        case GREETS -> agent.greet();
                        case IS_SILENT -> {}
                        case GREETS_WHEN_ANOTHER_ONE_IS_CALLED -> {
                            var unused = second.thenAcceptAsync(other -> agent.greet());
                        }
                        case ENDS_WHEN_ANOTHER_ONE_IS_CALLED -> {
                            var unused = second.thenAcceptAsync(other -> agent.pipes.closeAgent());
                        }
                        case GREETS_AFTER_THE_FIRST -> {
                            var unused = agents.get(0).ended.thenRunAsync(agent::greet);
                        }
                        case CAN_NOT_BE_STARTED -> {
                            agent.kill();
                            throw FarheapException.replica("no ssh for call %s", agents.size());
                        }
                    }
                    return agent;
                }

                @Override
                public ControlTransport startTunnel(
                        RemoteReplica replica, Path entrance, String host, int port) {
                    throw new AssertionError("nobody wants a tunnel");
                }
            };

    private ControlClient connect(Duration bound, Fate... all) throws InterruptedException {
        return connect(SOON, bound, all);
    }

    private ControlClient connect(Duration soon, Duration bound, Fate... all)
            throws InterruptedException {
        fates = List.of(all);
        ControlTimes times = new ControlTimes(bound, LONG, Duration.ofSeconds(10));
        return AgentCalls.connect(connector, REPLICA, 0, times, Deadline.NONE, soon);
    }

    private void awaitOnly(int left) {
        await().untilAsserted(
                        () ->
                                assertThat(agents)
                                        .allMatch(one -> one.let == (agents.indexOf(one) != left)));
    }

    @Test
    void whoShowsItselfSoonIsTheOnlyOneCalled() throws Exception {
        ControlClient shown = connect(LONG.dividedBy(2), LONG, Fate.GREETS);
        assertThat(agents).hasSize(1);
        awaitOnly(0);
        shown.abandon();
    }

    @Test
    void whoseGreetingIsLostIsCalledAgain() throws Exception {
        ControlClient shown =
                connect(LONG, Fate.IS_SILENT, Fate.IS_SILENT, Fate.IS_SILENT, Fate.GREETS);
        assertThat(agents).hasSizeGreaterThanOrEqualTo(4); // more on a busy machine
        assertThat(shown.failure()).isNull();
        await().untilAsserted(() -> assertThat(agents.subList(0, 3)).allMatch(one -> one.let));
        shown.abandon();
    }

    @Test
    void whoTakesItsTimeIsTakenAllTheSame() throws Exception {
        ControlClient shown = connect(LONG, Fate.GREETS_WHEN_ANOTHER_ONE_IS_CALLED, Fate.IS_SILENT);
        assertThat(shown.failure()).isNull();
        awaitOnly(0);
        shown.abandon();
    }

    @Test
    void theOtherCallGoesOnWhereTheFirstOneFails() throws Exception {
        ControlClient shown =
                connect(LONG, Fate.ENDS_WHEN_ANOTHER_ONE_IS_CALLED, Fate.GREETS_AFTER_THE_FIRST);
        assertThat(shown.failure()).isNull();
        awaitOnly(1);
        shown.abandon();
    }

    @Test
    void theFirstOneGoesOnWhereTheOthersFail() throws Exception {
        ControlClient shown =
                connect(LONG, Fate.GREETS_WHEN_ANOTHER_ONE_IS_CALLED, Fate.CAN_NOT_BE_STARTED);
        assertThat(shown.failure()).isNull();
        awaitOnly(0);
        shown.abandon();
    }

    @Test
    void whoCanNotBeCalledIsCalledOnce() {
        // A busy machine takes longer than what is soon elsewhere here to say that it can't.
        assertThatThrownBy(() -> connect(LONG.dividedBy(2), LONG, Fate.CAN_NOT_BE_STARTED))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("no ssh for call 1");
        assertThat(agents).hasSize(1);
    }

    @Test
    void whoNeverShowsItselfIsWaitedForToTheBound() {
        long begin = System.nanoTime();
        assertThatThrownBy(() -> connect(Duration.ofMillis(900), Fate.IS_SILENT))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("no sign of the agent's greeting within 900 ms");
        assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofMillis(900).toNanos());
        assertThat(agents).hasSizeBetween(2, 6);
        await().untilAsserted(() -> assertThat(agents).allMatch(one -> one.let));
    }

    @Test
    void whereTheBoundIsShortThereIsOneCall() {
        assertThatThrownBy(() -> connect(SOON, Fate.IS_SILENT))
                .hasMessageContaining("no sign of the agent's greeting within 50 ms");
        assertThat(agents).hasSize(1).allMatch(one -> one.let);
    }

    @Test
    void whoGivesUpLeavesNoCallBehind() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread caller =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        ControlClient unused = connect(LONG, Fate.IS_SILENT);
                                    } catch (InterruptedException | RuntimeException e) {
                                        boolean unused = failure.complete(e);
                                    }
                                });
        second.join();
        caller.interrupt();
        assertThat(failure.join()).isInstanceOf(InterruptedException.class);
        await().untilAsserted(() -> assertThat(agents).allMatch(one -> one.let));
    }
}
