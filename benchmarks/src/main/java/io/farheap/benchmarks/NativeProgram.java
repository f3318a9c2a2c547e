package io.farheap.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A C program over libpmemobj, compiled where it is measured. */
final class NativeProgram {
    static final String MISSING =
            "libpmemobj beside it: not measured, needs gcc and libpmemobj-dev";

    private final Path program;

    private NativeProgram(Path program) {
        this.program = program;
    }

    /**
     * Compiles the resource {@code name}.c; empty where there is no C compiler or no libpmemobj to
     * compile against.
     */
    static Optional<NativeProgram> compile(Site site, String name)
            throws IOException, InterruptedException {
        Path source = site.directory().resolve(name + ".c");
        try (InputStream text = NativeProgram.class.getResourceAsStream("/" + name + ".c")) {
            Files.write(source, text.readAllBytes());
        }
        ProcessBuilder compiler =
                new ProcessBuilder(
                        "gcc", "-O2", "-o", name, source.toString(), "-lpmemobj", "-lpthread");
        compiler.directory(site.directory().toFile());
        compiler.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            return compiler.start().waitFor() == 0 ? compiled(site, name) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // there is no gcc
        }
    }

    /** The program that {@link #compile} left here, by this process or the one before it. */
    static Optional<NativeProgram> compiled(Site site, String name) {
        Path program = site.directory().resolve(name);
        return Files.exists(program) ? Optional.of(new NativeProgram(program)) : Optional.empty();
    }

    /** Starts it; what it says of errors is shown. */
    Process start(Object... arguments) throws IOException {
        List<String> command =
                Stream.concat(Stream.of(program), Stream.of(arguments))
                        .map(Object::toString)
                        .collect(Collectors.toList());
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Runs it once and hands over each line it prints. */
    void run(Consumer<String> line, Object... arguments) {
        try {
            Process process = start(arguments);
            try (BufferedReader lines = process.inputReader()) {
                lines.lines().forEach(line);
            }
            if (process.waitFor() != 0) {
                throw new IOException(program + " ended with status " + process.exitValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + program + " ran", e);
        }
    }
}
