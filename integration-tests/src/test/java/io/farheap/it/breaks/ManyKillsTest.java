package io.farheap.it.breaks;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link MixedKills} for long; see the profile {@code kills}. */
@Tag("kills")
class ManyKillsTest {
    private static final int MANY = 200;

    @Test
    void noCopyThatClaimsToBeCurrentLacksACommit() {
        MixedKillsTest.kill(Integer.getInteger("kills.rounds", MANY));
    }
}
