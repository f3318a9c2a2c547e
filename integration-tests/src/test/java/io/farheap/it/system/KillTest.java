package io.farheap.it.system;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class KillTest {
    private static final int SOME = 8;
    private static final int MANY = 50;

    @Test
    void noAcknowledgedCommitIsLostAndNoHalfOneIsFound() {
        run(SOME);
    }

    @Test
    @Tag("deep")
    void theSameInManyRounds() {
        run(MANY);
    }

    /** Fewer rounds, with longer bounds, where a slow machine is emulated. */
    private static void run(int rounds) {
        new KillRounds(
                        Integer.getInteger("kills.rounds", rounds),
                        Integer.getInteger("kills.slower", 1))
                .run();
    }
}
