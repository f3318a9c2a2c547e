package io.farheap.it.system;

import io.farheap.it.support.Build;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * This build and another one, which lies unpacked where {@code -Dprevious.distribution} says: the
 * release before, whose version this one still speaks.
 */
@Tag("deep")
@Timeout(300)
@EnabledIfSystemProperty(
        named = "previous.distribution",
        matches = ".+",
        disabledReason = "no other build to try with: -Dprevious.distribution=DIR, unpacked")
class PreviousDistributionTest {
    private static Build previous() throws Exception {
        return Build.unpacked(Path.of(System.getProperty("previous.distribution")));
    }

    @Test
    void itsAgentIsUpgradedFirst() throws Exception {
        Build previous = previous();
        try (UpgradedSite site = new UpgradedSite(previous, previous)) {
            site.startProgram();
            site.upgradeAgent(Build.THIS);
            site.upgradeProgram(Build.THIS);
            site.endProgram();
            site.assertEqualAndWhole();
        }
    }

    @Test
    void itsProgramIsUpgradedFirst() throws Exception {
        Build previous = previous();
        try (UpgradedSite site = new UpgradedSite(previous, previous)) {
            site.startProgram();
            site.upgradeProgram(Build.THIS);
            site.upgradeAgent(Build.THIS);
            site.endProgram();
            site.assertEqualAndWhole();
        }
    }

    @Test
    void anUpgradeToThisOneIsTakenBack() throws Exception {
        Build previous = previous();
        try (UpgradedSite site = new UpgradedSite(Build.THIS, Build.THIS)) {
            site.startProgram();
            site.upgradeProgram(previous);
            site.upgradeAgent(previous);
            site.upgradeProgram(Build.THIS);
            site.endProgram();
            site.assertEqualAndWhole();
        }
    }
}
