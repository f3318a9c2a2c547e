package io.farheap.it.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A command that has ended, and what it said. */
public record Ran(int exitCode, String out, String err) {
    /** Runs one to its end. */
    public static Ran of(ProcessBuilder command) {
        try {
            Path err = Files.createTempFile("farheap-it", ".err");
            try {
                Process process = command.redirectError(err.toFile()).start();
                byte[] out = process.getInputStream().readAllBytes();
                int exitCode = process.waitFor();
                return new Ran(
                        exitCode, new String(out, StandardCharsets.UTF_8), Files.readString(err));
            } finally {
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** It did what it was told, and complained of nothing. */
    public Ran succeeded() {
        assertThat(exitCode).as(out + err).isZero();
        assertThat(err).isEmpty();
        return this;
    }

    /** It ended with this code and one sentence that says all of this; no stack trace. */
    public Ran failedWith(int code, String... parts) {
        assertThat(err).as("exit code %d, output %s", exitCode, out).contains(parts);
        assertThat(err).startsWith("farheap: ").doesNotContain("Exception");
        assertThat(err.lines()).hasSize(1);
        assertThat(exitCode).isEqualTo(code);
        return this;
    }
}
