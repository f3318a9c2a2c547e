package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Machines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** A {@link LoadProgram} as a process, and what it has told so far. */
public final class Load {
    /** Longer in a machine that is emulated, where those with RDMA are. */
    private static final Duration BOUND = Duration.ofSeconds(Machines.overRdma() ? 600 : 120);

    private final Process process;
    private final Path errors;
    private final Thread reader;
    private final long[] found;
    private final long[] acknowledged;

    /**
     * A replica as the program is shown it.
     *
     * @param lagBytes as ReplicaStatus has it
     * @param slowest the longest commit that returned since the program was asked before
     */
    public record Shown(
            State state, long lagBytes, Duration slowest, String reason, String nextStep) {}

    // Guarded by this.
    private final List<TreeMap<Long, Long>> history = new ArrayList<>();
    private final String[] lastWords;
    private final int[] troubles;
    private final Set<String> complaints = new LinkedHashSet<>();
    private String failure;
    private String domain;
    private long replicaBytes = -1;
    private int pauses;
    private final List<Shown> telling = new ArrayList<>();
    private List<Shown> shown = List.of();
    private int statuses;
    private boolean closed;
    private boolean ended;

    private Load(Process process, Path errors, int threads) {
        this.process = process;
        this.errors = errors;
        this.found = new long[threads];
        this.acknowledged = new long[threads];
        this.lastWords = new String[threads];
        this.troubles = new int[threads];
        for (int t = 0; t < threads; t++) {
            history.add(new TreeMap<>());
        }
        this.reader = Thread.ofPlatform().daemon().start(this::read);
    }

    public static Load start(Machines machines, Path set, long seed, int threads) {
        return start(machines, LoadProgram.class, set, seed, threads);
    }

    /** Another program, which is told and tells the same, or a part of it. */
    public static Load start(Machines machines, Class<?> main, Path set, long seed, int threads) {
        try {
            Path errors = Files.createTempFile(machines.here(), "load", ".err");
            ProcessBuilder program =
                    machines.java(
                            main, set.toString(), Long.toString(seed), Integer.toString(threads));
            program.command().add(1, "-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
            Process process = program.redirectError(errors.toFile()).start();
            return new Load(process, errors, threads);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            take("failed " + e);
        }
        synchronized (this) {
            ended = true;
        }
    }

    private synchronized void take(String line) {
        String[] word = line.split(" ", 4);
        switch (word[0]) {
            case "found" -> found[Integer.parseInt(word[1])] = Long.parseLong(word[2]);
            case "domain" -> domain = word[1];
            case "open" -> replicaBytes = Long.parseLong(word[1]);
            case "ack" -> {
                int thread = Integer.parseInt(word[1]);
                acknowledged[thread] = Long.parseLong(word[2]);
                history.get(thread).put(System.nanoTime(), acknowledged[thread]);
                troubles[thread] = 0;
            }
            case "unknown", "refused" -> {
                int thread = Integer.parseInt(word[1]);
                lastWords[thread] = word[0] + " " + word[3];
                complaints.add(lastWords[thread]);
                troubles[thread]++;
            }
            case "paused" -> {
                replicaBytes = Long.parseLong(word[1]);
                pauses++;
            }
            case "replica" -> telling.add(shown(line.split(" ", 6)));
            case "status" -> {
                shown = List.copyOf(telling);
                telling.clear();
                statuses++;
            }
            case "closed" -> closed = true;
            default -> failure = line;
        }
    }

    private static Shown shown(String[] word) {
        String[] why = word[5].split("\\|", 2);
        return new Shown(
                State.valueOf(word[2]),
                Long.parseLong(word[3]),
                Duration.of(Long.parseLong(word[4]), ChronoUnit.MICROS),
                why[0],
                why[1]);
    }

    private void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes());
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new AssertionError("the load is gone: " + failure() + said(), e);
        }
    }

    private String said() {
        return "; it said: " + log();
    }

    private String log() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many lines of its log have these words. */
    long timesLogged(String words) {
        return log().lines().filter(line -> line.contains(words)).count();
    }

    // ---- what it does ----

    public ProcessHandle process() {
        return process.toHandle();
    }

    /** Waits until the pool is open; returns the bytes that opening it sent to the replicas. */
    public long awaitOpen() {
        awaitOrFail("to open", () -> replicaBytes >= 0);
        return replicaBytes;
    }

    /**
     * Waits until the pool is open: it has what had returned to the program before this one, and of
     * each thread at most the one that was under way besides.
     *
     * @param returned by thread, the last transaction that returned then; null: there was none
     * @return the bytes that opening it sent to the replicas
     */
    public long awaitOpenWith(long[] returned) {
        long sent = awaitOpen();
        for (int t = 0; returned != null && t < returned.length; t++) {
            assertThat(found()[t])
                    .as("transactions of thread %d in the local pool", t)
                    .isBetween(returned[t], returned[t] + 1);
        }
        return sent;
    }

    private synchronized long[] found() {
        return found;
    }

    /** The pool's persistence domain, once it is open. */
    synchronized String domain() {
        return domain;
    }

    public void go() {
        tell("go");
    }

    /**
     * Lets the transactions under way end and begins no others; returns the bytes that went to the
     * replicas since the pool was being opened. May be asked again while it pauses.
     */
    public long pause() {
        int before = pauses;
        tell("pause");
        awaitOrFail("to pause", () -> pauses > before);
        return replicaBytes;
    }

    /** How its remote replicas are, in the order of the poolset file; while it works, too. */
    public List<Shown> replicas() {
        int before = statuses();
        tell("status");
        awaitOrFail("to tell how its replicas are", () -> statuses > before);
        synchronized (this) {
            return shown;
        }
    }

    private synchronized int statuses() {
        return statuses;
    }

    /** Waits until a replica is in a state; returns what is said of it. */
    public Shown awaitState(int index, State state) {
        return await().alias("replica " + index + " is " + state)
                .pollInterval(Duration.ofMillis(10))
                .atMost(BOUND)
                .until(() -> replicas().get(index), replica -> replica.state() == state);
    }

    /** Closes the pool and waits for the end of the process. */
    public void close() {
        tell("close");
        awaitOrFail("to close", () -> closed && ended);
    }

    /** Ends the process, and takes what it had told by then. */
    public void kill() {
        // Process.destroyForcibly would throw away what is in the pipe.
        Machines.signal("KILL", process());
        awaitEnd();
    }

    /** Waits for its end, and takes what it had told by then. */
    public void awaitEnd() {
        await().pollInterval(Duration.ofMillis(2)).atMost(BOUND).until(() -> !reader.isAlive());
    }

    /** Waits until every thread has more commits that returned. */
    public void awaitCommits(int more) {
        long[] before = acknowledged();
        awaitOrFail(
                "to commit",
                () -> {
                    for (int t = 0; t < before.length; t++) {
                        if (acknowledged[t] < before[t] + more) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    /** Waits until no thread can commit any more, and says so for the second time. */
    public void awaitTrouble() {
        awaitOrFail(
                "to be refused",
                () -> {
                    for (int count : troubles) {
                        if (count < 2) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    /** Waits until some thread has said that it could not commit, with these words. */
    public void awaitWords(String words) {
        awaitOrFail(
                "to say: " + words,
                () -> complaints.stream().anyMatch(complaint -> complaint.contains(words)));
    }

    /** Waits until what every thread said last are these words. */
    public void awaitLastWords(String words) {
        awaitOrFail(
                "to say last, in each thread: " + words,
                () ->
                        Arrays.stream(lastWords)
                                .allMatch(last -> last != null && last.contains(words)));
    }

    /** What it complained of so far is old. */
    public synchronized void forgetComplaints() {
        complaints.clear();
    }

    /** Every different reason why something could not be committed. */
    public synchronized Set<String> complaints() {
        return new LinkedHashSet<>(complaints);
    }

    /** What it has logged. */
    public List<String> logged() {
        try {
            return Files.readAllLines(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether it is ending, for whatever reason. */
    public synchronized boolean hasFailed() {
        return failure != null || ended;
    }

    /** Waits for the reason of its end. */
    public String awaitFailure() {
        await().pollInterval(Duration.ofMillis(2)).atMost(BOUND).until(() -> failure() != null);
        return failure();
    }

    /** By thread: the last transaction that returned. */
    public synchronized long[] acknowledged() {
        return Arrays.copyOf(acknowledged, acknowledged.length);
    }

    /**
     * By thread: the last transaction that had returned by then.
     *
     * @param nanoTime of {@link System#nanoTime}
     */
    public synchronized long[] acknowledgedBy(long nanoTime) {
        return history.stream()
                .map(times -> times.floorEntry(nanoTime))
                .mapToLong(entry -> entry == null ? 0 : entry.getValue())
                .toArray();
    }

    /** By thread: why it could not commit the last time. */
    public synchronized String[] lastWords() {
        return Arrays.copyOf(lastWords, lastWords.length);
    }

    private synchronized String failure() {
        return failure;
    }

    private void awaitOrFail(String what, BooleanSupplier condition) {
        await().alias("the load " + what)
                .pollInterval(Duration.ofMillis(2))
                .atMost(BOUND)
                .until(
                        () -> {
                            synchronized (this) {
                                if (condition.getAsBoolean()) {
                                    return true;
                                }
                                if (failure != null || ended && !closed) {
                                    throw new AssertionError(
                                            "the load failed: " + failure + said());
                                }
                                return false;
                            }
                        });
    }
}
