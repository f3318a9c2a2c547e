package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Build;
import io.farheap.replication.control.Reply;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A release and the one after it, which still speaks this one's version of the protocol: programs
 * and agents are upgraded one after another, in any order, while commits go on.
 */
@Timeout(300)
class RollingUpgradeTest {
    private static final int NOW = Reply.VERSION;

    @TempDir private static Path classes;

    private static Build next;
    private static Build later;

    @BeforeAll
    static void makeBuilds() throws Exception {
        next = Build.speaking(classes.resolve("next"), NOW, NOW + 1);
        later = Build.speaking(classes.resolve("later"), NOW + 1, NOW + 2);
    }

    @Test
    void theAgentIsUpgradedFirst() throws Exception {
        try (UpgradedSite site = new UpgradedSite(Build.THIS, Build.THIS)) {
            site.startProgram();
            site.upgradeAgent(next);
            assertThat(site.spoken()).isEqualTo(NOW);

            site.upgradeProgram(next);
            assertThat(site.spoken()).isEqualTo(NOW + 1);
            site.endProgram();
            site.assertEqualAndWhole();
        }
    }

    @Test
    void theProgramIsUpgradedFirst() throws Exception {
        try (UpgradedSite site = new UpgradedSite(Build.THIS, Build.THIS)) {
            site.startProgram();
            site.upgradeProgram(next);
            assertThat(site.spoken()).isEqualTo(NOW);

            site.upgradeAgent(next);
            assertThat(site.spoken()).isEqualTo(NOW + 1);
            site.endProgram();
            site.assertEqualAndWhole();
        }
    }

    /** Who has to go back finds what he left, also where the other side stays. */
    @Test
    @Tag("deep")
    void anUpgradeIsTakenBack() throws Exception {
        try (UpgradedSite site = new UpgradedSite(next, next)) {
            site.startProgram();
            site.upgradeAgent(Build.THIS);
            assertThat(site.spoken()).isEqualTo(NOW);

            site.upgradeProgram(Build.THIS);
            site.upgradeAgent(next);
            assertThat(site.spoken()).isEqualTo(NOW);
            site.endProgram();
            site.assertEqualAndWhole();
        }
    }

    @Test
    @Tag("deep")
    void theCommandOfEitherReleaseShowsThePoolOfTheOther() throws Exception {
        try (UpgradedSite site = new UpgradedSite(Build.THIS, next)) {
            site.startProgram();
            assertThat(site.farheap(next, "status")).contains("there copy.set", "current");
            assertThat(site.farheap(next, "reload")).contains("there copy.set");
            site.upgradeProgram(next);
            assertThat(site.farheap(Build.THIS, "status")).contains("there copy.set", "current");
            assertThat(site.farheap(Build.THIS, "reload")).contains("there copy.set");
            site.endProgram();
        }
    }

    @Test
    void withoutACommonVersionBothSidesSayWhoIsToBeUpgradedAndNothingChanges() throws Exception {
        try (UpgradedSite site = new UpgradedSite(Build.THIS, Build.THIS)) {
            site.startProgram();
            site.endProgram();

            site.useAgent(later);
            assertThat(site.startRefusedProgram())
                    .contains("replica there copy.set: the agent speaks " + range(1, 2))
                    .contains("this program farheap-control " + NOW)
                    .contains("upgrade the program first, or run the agent of a release that");
            assertThat(site.agentsLog())
                    .anyMatch(line -> line.contains("The program speaks farheap-control " + NOW))
                    .anyMatch(line -> line.contains("this agent " + range(1, 2)));

            site.useAgent(Build.THIS);
            site.useProgram(later);
            assertThat(site.startRefusedProgram())
                    .contains("the agent speaks farheap-control " + NOW)
                    .contains("this program " + range(1, 2))
                    .contains("upgrade the agent first, or run the program of a release that");

            site.useProgram(Build.THIS);
            site.startProgram();
            site.endProgram();
            site.assertEqualAndWhole();
        }
    }

    private static String range(int from, int to) {
        return "farheap-control " + (NOW + from) + " to " + (NOW + to);
    }
}
