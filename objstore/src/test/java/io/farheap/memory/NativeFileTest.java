package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeFileTest {
    private static final int PROCESSES = 60;

    @TempDir Path directory;

    @Test
    void whoHasItLockedIsSaidAndOnlyWhileItIs() throws IOException {
        Path path = Files.createFile(directory.resolve("a"));
        try (NativeFile one = NativeFile.open(path);
                NativeFile other = NativeFile.open(path)) {
            one.lock();
            assertThatThrownBy(other::lock)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("in use by this process");
            assertThat(NativeFile.lockedBy(path)).hasValue(ProcessHandle.current().pid());

            NativeFile renamed = one.rename(directory.resolve("b"));
            assertThatThrownBy(other::lock).isInstanceOf(FarheapException.class);
            renamed.close();
            other.lock();
        }
        assertThat(NativeFile.lockedBy(directory.resolve("b"))).isEmpty();
    }

    /** A process that is being started has copies of all descriptors for a moment. */
    @Test
    void aClosedFileIsFreeThoughAnotherThreadStartsProcesses() throws IOException {
        Path path = Files.createFile(directory.resolve("a"));
        CompletableFuture<Void> starting = CompletableFuture.runAsync(NativeFileTest::start);
        int locked = 0;
        while (!starting.isDone()) {
            try (NativeFile file = NativeFile.open(path)) {
                file.lock();
                locked++;
            }
        }
        starting.join();
        assertThat(locked).isGreaterThan(PROCESSES);
    }

    private static void start() {
        try {
            for (int i = 0; i < PROCESSES; i++) {
                assertThat(new ProcessBuilder("true").start().waitFor()).isZero();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
