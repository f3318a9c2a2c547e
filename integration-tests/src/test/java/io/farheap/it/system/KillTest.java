package io.farheap.it.system;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class KillTest {
    @Test
    void noAcknowledgedCommitIsLostAndNoHalfOneIsFound() {
        new KillRounds(50, 1).run();
    }

    /**
     * The same as a program, for a machine without Maven.
     *
     * @param args how many rounds, and how many times slower than others the machine is
     */
    public static void main(String[] args) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(5));
        new KillRounds(Integer.parseInt(args[0]), Integer.parseInt(args[1])).run();
        System.exit(0); // Awaitility's threads would stay
    }
}
