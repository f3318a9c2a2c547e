package io.farheap.availability;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Before any test of this module: waits for what must happen sooner or later are bounded
 * generously, so that none depends on how fast a machine is. JUnit finds it by its services file.
 */
public final class PatientWaits implements LauncherSessionListener {
    private static final Duration BOUND = Duration.ofSeconds(60);

    /** For JUnit. */
    public PatientWaits() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(BOUND);
    }
}
