package io.farheap.it.system;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class KillTest {
    /** Fewer rounds, with longer bounds, where a slow machine is emulated. */
    @Test
    void noAcknowledgedCommitIsLostAndNoHalfOneIsFound() {
        new KillRounds(
                        Integer.getInteger("kills.rounds", 50),
                        Integer.getInteger("kills.slower", 1))
                .run();
    }
}
