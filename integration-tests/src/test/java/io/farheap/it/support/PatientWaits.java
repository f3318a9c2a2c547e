package io.farheap.it.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Around all tests of this module. Before: waits for what must happen sooner or later are bounded
 * generously, so that none depends on how fast a machine is. Afterwards: nothing is left behind.
 * JUnit finds it by its services file.
 */
public final class PatientWaits implements LauncherSessionListener {
    private static final Duration BOUND = Duration.ofSeconds(Machines.overRdma() ? 300 : 60);

    /** For JUnit. */
    public PatientWaits() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(BOUND);
    }

    /** Lincheck gives the JVM a temporary file with classes, and leaves it to whoever cleans up. */
    @Override
    public void launcherSessionClosed(LauncherSession session) {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            for (Path file : open.map(PatientWaits::target).toList()) {
                if (file.getFileName() != null
                        && file.getFileName().toString().startsWith("lincheck-bootstrap")) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What an open file is; nothing for one that was closed meanwhile. */
    private static Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException closed) {
            return Path.of("");
        }
    }
}
