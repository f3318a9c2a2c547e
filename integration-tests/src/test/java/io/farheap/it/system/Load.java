package io.farheap.it.system;

import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** A {@link LoadProgram} as a process, and what it has told so far. */
final class Load {
    private static final Duration BOUND = Duration.ofSeconds(120);

    private final Process process;
    private final Path errors;
    private final Thread reader;
    private final long[] acknowledged;

    // Guarded by this.
    private final String[] lastWords;
    private final int[] troubles;
    private final Set<String> complaints = new LinkedHashSet<>();
    private String failure;
    private long replicaBytes = -1;
    private int pauses;
    private boolean closed;
    private boolean ended;

    private Load(Process process, Path errors, int threads) {
        this.process = process;
        this.errors = errors;
        this.acknowledged = new long[threads];
        this.lastWords = new String[threads];
        this.troubles = new int[threads];
        this.reader = Thread.ofPlatform().daemon().start(this::read);
    }

    static Load start(Machines machines, Path set, long seed, int threads) {
        try {
            Path errors = Files.createTempFile(machines.here(), "load", ".err");
            Process process =
                    machines.java(
                                    LoadProgram.class,
                                    set.toString(),
                                    Long.toString(seed),
                                    Integer.toString(threads))
                            .redirectError(errors.toFile())
                            .start();
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
            case "open" -> replicaBytes = Long.parseLong(word[1]);
            case "ack" -> {
                int thread = Integer.parseInt(word[1]);
                acknowledged[thread] = Long.parseLong(word[2]);
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
            case "closed" -> closed = true;
            default -> failure = line;
        }
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
        try {
            return "; it said: " + Files.readString(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- what it does ----

    ProcessHandle process() {
        return process.toHandle();
    }

    /** Waits until the pool is open; returns the bytes that opening it sent to the replicas. */
    long awaitOpen() {
        awaitOrFail("to open", () -> replicaBytes >= 0);
        return replicaBytes;
    }

    void go() {
        tell("go");
    }

    /**
     * Lets the transactions under way end and begins no others; returns the bytes that went to the
     * replicas since the pool was being opened. May be asked again while it pauses.
     */
    long pause() {
        int before = pauses;
        tell("pause");
        awaitOrFail("to pause", () -> pauses > before);
        return replicaBytes;
    }

    /** Closes the pool and waits for the end of the process. */
    void close() {
        tell("close");
        awaitOrFail("to close", () -> closed && ended);
    }

    /** Ends the process, and takes what it had told by then. */
    void kill() {
        // Process.destroyForcibly would throw away what is in the pipe.
        Machines.signal("KILL", process());
        awaitEnd();
    }

    /** Waits for its end, and takes what it had told by then. */
    void awaitEnd() {
        await().pollInterval(Duration.ofMillis(2)).atMost(BOUND).until(() -> !reader.isAlive());
    }

    /** Waits until every thread has more commits that returned. */
    void awaitCommits(int more) {
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
    void awaitTrouble() {
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
    void awaitWords(String words) {
        awaitOrFail(
                "to say: " + words,
                () -> complaints.stream().anyMatch(complaint -> complaint.contains(words)));
    }

    /** Waits until what every thread said last are these words. */
    void awaitLastWords(String words) {
        awaitOrFail(
                "to say last, in each thread: " + words,
                () ->
                        Arrays.stream(lastWords)
                                .allMatch(last -> last != null && last.contains(words)));
    }

    /** Waits for the reason of its end. */
    String awaitFailure() {
        await().pollInterval(Duration.ofMillis(2)).atMost(BOUND).until(() -> failure() != null);
        return failure();
    }

    /** By thread: the last transaction that returned. */
    synchronized long[] acknowledged() {
        return Arrays.copyOf(acknowledged, acknowledged.length);
    }

    /** By thread: why it could not commit the last time. */
    synchronized String[] lastWords() {
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
