package io.farheap.it.sync;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the steps of a command, and ends its process at one of them. */
public final class Steps {
    private static final int AS_KILLED = 137;
    private static final AtomicLong TAKEN = new AtomicLong();
    private static final long LAST = Long.getLong("farheap.last.step", Long.MAX_VALUE);

    private static volatile boolean begun;

    private Steps() {}

    /** From here on they count: before, nothing is changed. */
    public static void begin() {
        begun = true;
    }

    /** One more, or the end: at once and without any clean-up, as of a process that is killed. */
    public static void step() {
        if (begun && TAKEN.incrementAndGet() == LAST) {
            Runtime.getRuntime().halt(AS_KILLED);
        }
    }

    /** Writes how many there were into a file when the process ends by itself. */
    public static void report(Path file) {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    try {
                                        Files.writeString(file, TAKEN.toString());
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                }));
    }
}
