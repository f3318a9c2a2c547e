package io.farheap.it.system;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class KillTest {
    private static final int MANY = 20;

    /** Each kind of victim once. */
    private static final int EACH = 4;

    @Test
    void noAcknowledgedCommitIsLostAndNoHalfOneIsFound() {
        run(EACH, false);
    }

    @Test
    @Tag("deep")
    void norWhereTheLocalPoolHasADiskJournal() {
        run(EACH, true);
    }

    @Test
    @Tag("deep")
    void theSameInManyRounds() {
        run(MANY, false);
    }

    /** In as many rounds as told. */
    @Test
    @Tag("kills")
    @Timeout(value = 8, unit = TimeUnit.HOURS)
    void norOverManyKillsWithADiskJournal() {
        run(MANY, true);
    }

    /** Fewer rounds, with longer bounds, where a slow machine is emulated. */
    private static void run(int rounds, boolean hasJournal) {
        new KillRounds(
                        Integer.getInteger("kills.rounds", rounds),
                        Integer.getInteger("kills.slower", 1),
                        hasJournal)
                .run();
    }
}
