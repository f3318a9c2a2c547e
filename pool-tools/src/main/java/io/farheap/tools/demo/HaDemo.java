package io.farheap.tools.demo;

import io.farheap.availability.FailOverControl;
import io.farheap.availability.FailOverState;
import io.farheap.availability.HighAvailability;
import io.farheap.base.FarheapException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * {@code farheap demo --ha}: the writer of a pool is killed, and another node goes on by itself.
 */
final class HaDemo {
    private static final int COMMITS = 200;
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final HaDemoSite site;
    private final Consumer<String> out;
    private final Map<String, Node> nodes = new ConcurrentHashMap<>();

    /** What a node had when its turn began. */
    private record Found(long count, long wrong, long term) {}

    /** What a node's program has said last. Its fields are written by the thread that listens. */
    private static final class Node {
        private final Process process;
        private volatile boolean waits;
        private volatile long acknowledged;
        private volatile long firstNanos;
        private volatile long lastNanos;

        /** Null: its turn has not begun, or has come to nothing. */
        private volatile Found found;

        Node(Process process) {
            this.process = process;
            Thread unused = Thread.ofPlatform().daemon().start(this::listen);
        }

        private void listen() {
            try (BufferedReader lines = process.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    hear(line);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void hear(String line) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "waiting" -> waits = true;
                case "open" ->
                        found =
                                new Found(
                                        Long.parseLong(words[1]),
                                        Long.parseLong(words[2]),
                                        Long.parseLong(words[3]));
                case "failed" -> found = null;
                default -> {
                    lastNanos = System.nanoTime();
                    firstNanos = firstNanos == 0 ? lastNanos : firstNanos;
                    acknowledged = Long.parseLong(words[0]);
                }
            }
        }
    }

    HaDemo(HaDemoSite site, Consumer<String> out) {
        this.site = site;
        this.out = out;
    }

    void run() throws IOException, InterruptedException {
        try (FailOverControl control =
                HighAvailability.of(site.store(), HaDemoSite.POOL).control()) {
            run(control);
        }
    }

    private void run(FailOverControl control) throws IOException, InterruptedException {
        say("Three directories of %s stand for three machines: a, b and c.", site.directory());
        say(
                "Each has a copy of one pool and runs the same program, which appends numbers when"
                        + " it is");
        say("its turn to write. Who may says a store: an etcd of this machine.");
        say("");
        say(
                "1. a creates the pool and writes. A commit returns when all copies have it; at"
                        + " least %d",
                DemoNodeCommand.MIN_COPIES);
        say("   must be there. b and c wait.");
        long total = write(control);
        say("   Killed by SIGKILL after %,d commits had returned.", total);
        say("");
        say(
                "2. Nobody does anything. a's sign of life in the store ends after %d s, and then:",
                DemoNodeCommand.TTL.toSeconds());
        String writer = goOn(total);
        say("");
        say("3. a is started again. It waits, and its copy is brought up to date:");
        comeBack(control, writer);
        say("");
        say("Every commit that had returned is there, and none was made twice.");
    }

    private long write(FailOverControl control) throws IOException, InterruptedException {
        await("etcd does not answer", () -> answers(control));
        start("a", "--create");
        await("a does not write", () -> nodes.get("a").acknowledged > 0);
        start("b");
        start("c");
        await(
                "b and c do not wait, or their copies are not of the set",
                () ->
                        isWhole(control)
                                && is(control, state -> state.waiting().equals(List.of("b", "c"))));
        Node a = nodes.get("a");
        long before = a.acknowledged;
        await("a does not go on", () -> a.acknowledged >= before + COMMITS);
        boolean unused = a.process.toHandle().destroyForcibly(); // what it has said is heard still
        int unusedCode = a.process.waitFor();
        long[] last = {-1};
        await(
                "a's last words are not heard",
                () -> {
                    boolean same = last[0] == a.acknowledged;
                    last[0] = a.acknowledged;
                    return same;
                });
        return a.acknowledged;
    }

    private String goOn(long total) throws InterruptedException {
        await("neither b nor c writes", () -> writes("b") || writes("c"));
        String writer = writes("b") ? "b" : "c";
        Node node = nodes.get(writer);
        Found found = node.found;
        say(
                "   %s writes, in term %d, after %.1f s without a commit.",
                writer, found.term(), (node.firstNanos - nodes.get("a").lastNanos) / 1e9);
        say(
                "   Of the %,d commits %,d are there%s.",
                total,
                Math.min(total, found.count()) - found.wrong(),
                found.count() > total ? ", and one that was about to return" : "");
        if (found.count() < total || found.wrong() > 0) {
            throw failed("commits that had returned are missing");
        }
        return writer;
    }

    private void comeBack(FailOverControl control, String writer)
            throws IOException, InterruptedException {
        long begun = System.nanoTime();
        start("a");
        await("a's copy does not come back", () -> nodes.get("a").waits && isWhole(control));
        long before = nodes.get(writer).acknowledged;
        await(writer + " does not go on", () -> nodes.get(writer).acknowledged > before + COMMITS);
        say(
                "   after %.1f s commits wait for all three again, and %s goes on: %,d commits.",
                (System.nanoTime() - begun) / 1e9, writer, nodes.get(writer).acknowledged);
    }

    private void start(String node, String... more) throws IOException {
        nodes.put(node, new Node(site.start(node, more)));
    }

    private boolean writes(String node) {
        Node one = nodes.get(node);
        return one.found != null && one.firstNanos > 0;
    }

    /** Whether the store has a record of the pool, and it is so. */
    private static boolean is(FailOverControl control, Predicate<FailOverState> so) {
        try {
            return so.test(control.look());
        } catch (FarheapException e) {
            return false;
        }
    }

    private static boolean isWhole(FailOverControl control) {
        return is(control, state -> state.set().equals(HaDemoSite.NODES));
    }

    /** It says that there is no record yet. */
    private static boolean answers(FailOverControl control) {
        try {
            return !control.look().writer().isEmpty();
        } catch (FarheapException e) {
            return e.category() == FarheapException.Category.WRONG_USE;
        }
    }

    private void await(String otherwise, BooleanSupplier so) throws InterruptedException {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw failed(otherwise + " within " + LONGEST.toSeconds() + " s");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static FarheapException failed(String what) {
        return FarheapException.environment(
                "the demo stops: %s; run it again with --keep to look at its files", what);
    }

    private void say(String format, Object... arguments) {
        out.accept(String.format(format, arguments));
    }
}
