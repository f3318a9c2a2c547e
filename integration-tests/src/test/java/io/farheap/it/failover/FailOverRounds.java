package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.FailOverControl;
import io.farheap.availability.HighAvailability;
import io.farheap.base.FarheapException;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Three nodes under load, and in each round one fault or two at a time: processes that are killed,
 * or stopped for up to 20 seconds, a sixth of those for up to 60, nodes that don't reach the store
 * or each other, orders to switch over. When all is mended, commits go on, all three copies are of
 * the set, and what was acknowledged is judged.
 */
final class FailOverRounds implements AutoCloseable {
    private static final int LONGEST_MILLIS = 20_000;
    private static final int LONGEST_STOP_MILLIS = 60_000;
    private static final int MOST_BETWEEN_MILLIS = 3_000;
    private static final Duration SWITCH_OVER_BOUND = Duration.ofSeconds(20);
    private static final List<String> NODES = Nodes.NAMES;

    private final TurnNodes nodes;
    private final Cuts cuts;
    private final Random random;
    private final List<Kind> left = new ArrayList<>();
    private final Map<String, List<Long>> gaps = new TreeMap<>();

    private enum Kind {
        KILL_WRITER,
        KILL_WAITING,
        STOP_WRITER,
        STOP_WAITING,
        KILL_AGENT,
        STOP_AGENT,
        KILL_STORE,
        STOP_STORE,
        CUT_WRITER_FROM_STORE,
        CUT_WRITER_FROM_COPY,
        CUT_WRITER,
        CUT_WAITING,
        SWITCH_OVER
    }

    private interface Action {
        void run() throws Exception;
    }

    /**
     * A fault that has happened.
     *
     * @param due when it is mended
     */
    private record Happened(String what, long due, Action mending) {}

    private FailOverRounds(TurnNodes nodes, Cuts cuts, long seed) throws Exception {
        random = new Random(seed);
        this.nodes = nodes;
        this.cuts = cuts;
        boolean begun = false;
        try {
            nodes.begin();
            begun = true;
        } finally {
            if (!begun) {
                nodes.close();
            }
        }
    }

    /** On one host, with proxies for what is cut. */
    static FailOverRounds throughCables(Path directory, long seed) throws Exception {
        TurnNodes nodes = new TurnNodes(directory, 2);
        return new FailOverRounds(nodes, new CableCuts(nodes.useCables()), seed);
    }

    /** Each node, and each server of the store, on a host of its own. */
    static FailOverRounds onNetwork(Path directory, long seed) throws Exception {
        Network network = Network.of(directory, TurnNodes.hosts());
        return new FailOverRounds(
                TurnNodes.on(network, directory, 2), new NetworkCuts(network), seed);
    }

    void run(int rounds) throws Exception {
        for (int round = 1; round <= rounds; round++) {
            round(round, kinds());
        }
        conclude();
    }

    /** A process of each two of agent, writer and store, killed or stopped: each combination. */
    void runPairs() throws Exception {
        List<List<Kind>> ofProcesses =
                List.of(
                        // First: with a writer that was killed its agents end.
                        List.of(Kind.KILL_AGENT, Kind.STOP_AGENT),
                        List.of(Kind.KILL_WRITER, Kind.STOP_WRITER),
                        List.of(Kind.KILL_STORE, Kind.STOP_STORE));
        List<List<Kind>> pairs = new ArrayList<>();
        for (int i = 0; i < ofProcesses.size(); i++) {
            for (Kind one : ofProcesses.get(i)) {
                for (Kind other : ofProcesses.get((i + 1) % ofProcesses.size())) {
                    pairs.add(List.of(one, other));
                }
            }
        }
        Collections.shuffle(pairs, random);
        for (int i = 0; i < pairs.size(); i++) {
            round(i + 1, pairs.get(i));
        }
        conclude();
    }

    private void conclude() {
        nodes.judgeCopies(NODES.size());
        gaps.forEach(
                (faults, all) -> {
                    Collections.sort(all);
                    System.out.printf(
                            "%s: %d times, ms without commits p50 %d, max %d%n",
                            faults, all.size(), all.get(all.size() / 2), all.get(all.size() - 1));
                });
    }

    private void round(int round, List<Kind> kinds) throws Exception {
        List<Happened> happened = new ArrayList<>();
        long at = System.nanoTime();
        long term = nodes.acknowledged.last().term();
        try {
            for (Kind kind : kinds) {
                happened.add(happen(kind));
                pause(random.nextInt(MOST_BETWEEN_MILLIS));
            }
            happened.sort(Comparator.comparingLong(Happened::due));
            for (Happened one : happened) {
                pause(TimeUnit.NANOSECONDS.toMillis(one.due() - System.nanoTime()));
                one.mending().run();
            }
            nodes.awaitMore(20);
            nodes.awaitWhole();
            nobodyHasEndedByItself();
            nodes.judge();
        } catch (Throwable failure) {
            throw new AssertionError(
                    "round %d, %s%n%s".formatted(round, happened, whatWasSaid()), failure);
        }
        long gap = nodes.acknowledged.longestGapSince(at).toMillis();
        gaps.computeIfAbsent(kinds.toString(), key -> new ArrayList<>()).add(gap);
        gaps.computeIfAbsent("all", key -> new ArrayList<>()).add(gap);
        System.out.printf(
                "round %d, %s: %d ms without commits, whole after %d ms, terms %d to %d, %d"
                        + " commits%n",
                round,
                happened.stream().map(Happened::what).toList(),
                gap,
                (System.nanoTime() - at) / 1_000_000,
                term,
                nodes.acknowledged.last().term(),
                nodes.acknowledged.count());
    }

    /** Each as often as another one, in an order by chance; half of the rounds have two. */
    private List<Kind> kinds() {
        List<Kind> kinds = new ArrayList<>();
        for (int i = random.nextInt(2); i < 2; i++) {
            if (left.isEmpty()) {
                left.addAll(List.of(Kind.values()));
                Collections.shuffle(left, random);
            }
            kinds.add(left.remove(0));
        }
        return kinds;
    }

    private Happened happen(Kind kind) throws Exception {
        String writer = nodes.acknowledged.last().node();
        String other = NODES.get((NODES.indexOf(writer) + 1 + random.nextInt(2)) % NODES.size());
        return switch (kind) {
            case KILL_WRITER -> kill(writer);
            case KILL_WAITING -> kill(other);
            case STOP_WRITER ->
                    stop("program on " + writer, nodes.program(writer).process.toHandle());
            case STOP_WAITING ->
                    stop("program on " + other, nodes.program(other).process.toHandle());
            case KILL_AGENT -> killAgent(other);
            case STOP_AGENT ->
                    agent(other)
                            .map(agent -> stop("agent on " + other, agent))
                            .orElseGet(() -> nothing("no agent on " + other));
            case KILL_STORE -> killStore(storesLeader());
            case STOP_STORE -> {
                int member = storesLeader();
                yield stop("store " + member, nodes.servers.process(member));
            }
            case CUT_WRITER_FROM_STORE -> cut(writer, TurnNodes.STORE);
            case CUT_WRITER_FROM_COPY -> cut(writer, other);
            case CUT_WRITER -> cut(writer, "");
            case CUT_WAITING -> cut(other, "");
            case SWITCH_OVER -> switchOver(other);
        };
    }

    private long later() {
        return later(LONGEST_MILLIS);
    }

    private long later(int longestMillis) {
        return System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(1000 + random.nextInt(longestMillis - 999));
    }

    private Happened nothing(String why) {
        return new Happened(why, System.nanoTime(), () -> {});
    }

    private Happened kill(String node) {
        nodes.program(node).kill();
        return new Happened(
                "killed program on " + node,
                later(),
                () -> {
                    TurnNodes.Program unused = nodes.open(node);
                });
    }

    /** In its turn the node's own program has the copy as an agent has. */
    private Optional<ProcessHandle> agent(String node) {
        return nodes.nodes
                .machines
                .anyAgentOf(nodes.nodes.part(node))
                .filter(process -> process.pid() != nodes.program(node).process.pid());
    }

    private Happened killAgent(String node) {
        boolean killed = agent(node).map(ProcessHandle::destroyForcibly).orElse(false);
        return nothing((killed ? "killed" : "no") + " agent on " + node);
    }

    private Happened stop(String what, ProcessHandle process) {
        long until = later(random.nextInt(6) == 0 ? LONGEST_STOP_MILLIS : LONGEST_MILLIS);
        long millis = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        signal("STOP", process);
        return new Happened(
                "stopped " + what + " for " + millis + " ms", until, () -> signal("CONT", process));
    }

    /** It may have ended meanwhile. */
    private static void signal(String name, ProcessHandle process) {
        try {
            Machines.signal(name, process);
        } catch (AssertionError e) {
            if (process.isAlive()) {
                throw e;
            }
        }
    }

    /** Any, where that is not known. */
    private int storesLeader() {
        try {
            return nodes.servers.leader();
        } catch (IOException | AssertionError e) {
            return random.nextInt(3);
        }
    }

    private Happened killStore(int member) throws InterruptedException {
        nodes.servers.kill(member);
        return new Happened("killed store " + member, later(), () -> nodes.servers.start(member));
    }

    private Happened cut(String node, String from) {
        Cuts.Way way = Cuts.Way.values()[random.nextInt(3)];
        Cuts.Fate fate = random.nextBoolean() ? Cuts.Fate.HELD : Cuts.Fate.LOST;
        Cuts.Cut cut = new Cuts.Cut(node, from, way, fate);
        long until = later();
        long millis = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        cuts.make(cut);
        return new Happened("cut " + cut + " for " + millis + " ms", until, () -> cuts.mend(cut));
    }

    /** It may come to nothing beside another fault. */
    private Happened switchOver(String to) {
        CompletableFuture<String> order = new CompletableFuture<>();
        Thread unused =
                Thread.ofPlatform().daemon().start(() -> order.complete(outcomeOfSwitchOver(to)));
        return new Happened(
                "switch-over to " + to,
                System.nanoTime(),
                () -> {
                    String outcome = order.get(2, TimeUnit.MINUTES);
                    if (!outcome.isEmpty()) {
                        System.out.println("switch-over: " + outcome);
                    }
                });
    }

    private String outcomeOfSwitchOver(String to) {
        try (FailOverControl control =
                HighAvailability.of(nodes.servers.address(), "numbers").control()) {
            control.switchOver(to, SWITCH_OVER_BOUND);
            return "";
        } catch (FarheapException e) {
            return e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static void pause(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long nanos = until - System.nanoTime(); nanos > 0; nanos = until - System.nanoTime()) {
            LockSupport.parkNanos(nanos);
        }
    }

    /** Whoever was killed has been started anew. */
    private void nobodyHasEndedByItself() {
        assertThat(NODES).noneMatch(node -> nodes.program(node).isGone());
    }

    private String whatWasSaid() {
        StringBuilder text = new StringBuilder();
        for (String node : NODES) {
            List<String> said = nodes.program(node).said();
            Stream<String> last = said.stream().skip(Math.max(0, said.size() - 12));
            text.append(node).append(":\n");
            last.forEach(line -> text.append("  ").append(line).append('\n'));
        }
        try {
            text.append("record: ").append(nodes.record()).append(", lead: ").append(nodes.lead());
        } catch (RuntimeException e) {
            text.append(e.getMessage());
        }
        return text.toString();
    }

    @Override
    public void close() throws Exception {
        nodes.close();
    }
}
