package io.farheap.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How long one command took, each time that it ran as a whole process. */
final class CommandTimes {
    private static final double NANOS_PER_MILLI = 1e6;

    private final String what;
    private final List<String> command;
    private final List<Long> nanos = new ArrayList<>();

    /**
     * @param command what {@link #once} runs
     */
    CommandTimes(String what, List<String> command) {
        this.what = what;
        this.command = command;
    }

    /** What one command takes beyond another one that ran in turns with it: a difference a turn. */
    static CommandTimes beyond(String what, CommandTimes whole, CommandTimes part) {
        CommandTimes rest = new CommandTimes(what, List.of());
        for (int i = 0; i < whole.nanos.size(); i++) {
            rest.nanos.add(whole.nanos.get(i) - part.nanos.get(i));
        }
        return rest;
    }

    void once() throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        int status = process.waitFor();
        nanos.add(System.nanoTime() - start);
        if (status != 0) {
            throw new IOException(command + " ended with status " + status);
        }
    }

    double medianMillis() {
        return millis(0.5);
    }

    /** The part of 1 that took no longer. */
    private double millis(double part) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return sorted.get((int) (part * (sorted.size() - 1))) / NANOS_PER_MILLI;
    }

    /** A line. */
    String text() {
        return String.format(
                Locale.ROOT,
                "%-30s least %7.1f ms   p50 %7.1f ms   most %7.1f ms",
                what,
                millis(0),
                medianMillis(),
                millis(1));
    }
}
