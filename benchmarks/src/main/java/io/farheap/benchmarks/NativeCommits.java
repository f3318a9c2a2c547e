package io.farheap.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** libpmemobj's commits, by a C program that is compiled where they are measured. */
final class NativeCommits {
    private static final String WARM_UP = "20000";

    private final Path directory;

    private NativeCommits(Path directory) {
        this.directory = directory;
    }

    /** Empty where there is no C compiler or no libpmemobj to compile against. */
    static Optional<NativeCommits> compile(Path directory)
            throws IOException, InterruptedException {
        Path source = directory.resolve("tx64.c");
        try (InputStream program = NativeCommits.class.getResourceAsStream("/tx64.c")) {
            Files.write(source, program.readAllBytes());
        }
        ProcessBuilder compiler =
                new ProcessBuilder("gcc", "-O2", "-o", "tx64", source.toString(), "-lpmemobj");
        compiler.directory(directory.toFile());
        compiler.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            boolean compiled = compiler.start().waitFor() == 0;
            return compiled ? Optional.of(new NativeCommits(directory)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // there is no gcc
        }
    }

    /** Runs the program once and records what each of its transactions took. */
    void run(int count, Histogram times) throws IOException, InterruptedException {
        Process program =
                new ProcessBuilder(
                                directory.resolve("tx64").toString(),
                                directory.resolve("tx64.pool").toString(),
                                WARM_UP,
                                String.valueOf(count))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader lines = program.inputReader()) {
            lines.lines().mapToLong(Long::parseLong).forEach(times::recordValue);
        }
        if (program.waitFor() != 0) {
            throw new IOException("tx64 ended with status " + program.exitValue());
        }
    }
}
