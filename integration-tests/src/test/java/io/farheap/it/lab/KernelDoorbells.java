package io.farheap.it.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts where a software device hears of doorbells: calls of ibv_post_send end in a function of
 * the kernel, by whomever they are made. Needs root.
 */
final class KernelDoorbells {
    private static final Path TRACING = Path.of("/sys/kernel/tracing");
    private static final Path TRACE = TRACING.resolve("trace");
    private static final Pattern THREAD = Pattern.compile("-(\\d+)\\s+\\[\\d+].* doorbell: ");

    /**
     * What was counted.
     *
     * @param own of this process
     * @param others of all others
     */
    record Count(long own, long others) {}

    private KernelDoorbells() {}

    /** Makes the kernel tell. */
    static void switchOn() throws IOException, InterruptedException {
        if (!Files.exists(TRACE)) {
            int mounted =
                    new ProcessBuilder("mount", "-t", "tracefs", "tracefs", TRACING.toString())
                            .inheritIO()
                            .start()
                            .waitFor();
            if (mounted != 0) {
                throw new AssertionError("the kernel's tracing can't be mounted");
            }
        }
        Files.writeString(TRACING.resolve("kprobe_events"), "p:doorbell ib_uverbs_post_send\n");
        Files.writeString(TRACING.resolve("events/kprobes/doorbell/enable"), "1");
    }

    /** From now on. */
    static void reset() {
        try {
            Files.writeString(TRACE, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Since {@link #reset}. */
    static Count read() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            Set<String> own =
                    threads.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
            List<String> who =
                    Files.readAllLines(TRACE).stream()
                            .map(THREAD::matcher)
                            .filter(Matcher::find)
                            .map(found -> found.group(1))
                            .toList();
            long ours = who.stream().filter(own::contains).count();
            return new Count(ours, who.size() - ours);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
