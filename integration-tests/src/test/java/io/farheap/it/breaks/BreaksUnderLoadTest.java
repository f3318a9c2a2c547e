package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Cables.Lane;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Something breaks between a program that commits and its only replica: within the bound that a
 * setting names it is noticed, and said by what; under {@code fail} commits end with an error that
 * is true, under {@code degrade} they go on; and when the break is over the replica is current
 * again, by itself, with every commit that returned. One program for each policy lives through all
 * of it.
 */
@Tag("deep")
@Timeout(180)
class BreaksUnderLoadTest {
    private static final Map<ReplicaPolicy, BreakSite> SITES = new EnumMap<>(ReplicaPolicy.class);

    @AfterAll
    static void endAll() {
        SITES.values().forEach(BreakSite::close);
        SITES.clear();
    }

    private static BreakSite site(ReplicaPolicy policy) {
        return SITES.computeIfAbsent(policy, BreakSite::new);
    }

    /** One break and its end; whoever comes after a failure gets a new site. */
    private static void test(
            ReplicaPolicy policy,
            Consumer<BreakSite> broken,
            Consumer<BreakSite> over,
            Duration bound,
            String... anyOf) {
        BreakSite site = site(policy);
        boolean done = false;
        try {
            site.forget();
            long begin = System.nanoTime();
            broken.accept(site);
            site.awaitLost(anyOf);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("until it is noticed, seed %d", site.seed())
                    .isLessThan(bound.plus(BreakSite.MARGIN));
            site.assertAway();
            over.accept(site);
            site.assertCurrentAgain();
            done = true;
        } finally {
            if (!done) {
                SITES.remove(policy).close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void theAgentIsKilledAndItsMachineRefusesConnections(ReplicaPolicy policy) {
        test(
                policy,
                site -> site.machines().killAll(BreakSite.TARGET),
                site -> {
                    awaitReason(site, "No route to host", "RPMEM_SSH");
                    site.machines().bringUp(BreakSite.TARGET);
                },
                BreakSite.COMMIT_TIMEOUT,
                "the data connection with",
                "the control connection was lost");
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void theNetworkFallsSilentAndNobodyIsTold(ReplicaPolicy policy) {
        test(
                policy,
                site -> site.cables().cut(),
                site -> {
                    awaitReason(site, "no sign of the agent's greeting within 10 s", "RPMEM_SSH");
                    site.cables().mend();
                },
                BreakSite.COMMIT_TIMEOUT,
                "no answer within 3000 ms");
    }

    /** What it says while it looks for the replica. */
    private static void awaitReason(BreakSite site, String... parts) {
        await().pollInterval(Duration.ofMillis(20))
                .untilAsserted(
                        () ->
                                assertThat(site.load().replicas().get(0).reason())
                                        .startsWith("replica " + BreakSite.REPLICA)
                                        .contains(parts));
        assertThat(site.load().replicas().get(0).nextStep())
                .contains("see that the target and its agent can be reached");
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void theNetworkIsSlow(ReplicaPolicy policy) {
        BreakSite site = site(policy);
        site.forget();
        site.cables().slowDown(100); // slow is not broken
        site.load().awaitCommits(3);
        assertThat(site.load().complaints()).isEmpty();
        test(
                policy,
                again -> again.cables().slowDown(BreakSite.COMMIT_TIMEOUT.toMillis() + 1000),
                again -> again.cables().mend(),
                BreakSite.COMMIT_TIMEOUT,
                "no answer within 3000 ms");
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void dataIsGarbledOnItsWayThere(ReplicaPolicy policy) {
        garbled(policy, Lane.DATA_THERE, "broke", "garbled on", "refuses", "no answer within");
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void answersAreGarbledOnTheirWayBack(ReplicaPolicy policy) {
        garbled(policy, Lane.DATA_BACK, "it sent", "garbled on", "refuses", "no answer within");
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void controlMessagesAreGarbledOnTheirWayThere(ReplicaPolicy policy) {
        garbled(policy, Lane.CONTROL_THERE, "replica " + BreakSite.REPLICA);
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL", "DEGRADE"})
    void controlMessagesAreGarbledOnTheirWayBack(ReplicaPolicy policy) {
        garbled(policy, Lane.CONTROL_BACK, "replica " + BreakSite.REPLICA);
    }

    /** The connection is made again in time, or not: the machine may be busy. */
    private static void garbled(ReplicaPolicy policy, Lane lane, String... anyOf) {
        BreakSite site = site(policy);
        boolean done = false;
        try {
            site.forget();
            long begin = System.nanoTime();
            // nobody misses a heartbeat or two: goes on until it hits something that matters
            site.awaitNoticed(() -> site.cables().garbleNext(lane), anyOf);
            site.cables().garbleNothing();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("until it is noticed, seed %d", site.seed())
                    .isLessThan(BreakSite.COMMIT_TIMEOUT.plus(BreakSite.MARGIN));
            site.assertCurrentAgain();
            done = true;
        } finally {
            if (!done) {
                SITES.remove(policy).close();
            }
        }
    }

    @Test
    void theProgramIsKilledWhileItDoesWithoutTheReplica() {
        BreakSite site = site(ReplicaPolicy.DEGRADE);
        boolean done = false;
        try {
            site.forget();
            site.machines().killAll(BreakSite.TARGET);
            site.awaitLost("the data connection with", "the control connection was lost");
            site.assertAway();
            long[] before = site.kill();
            long sent = site.start();
            assertThat(sent).isZero();
            assertThat(site.load().replicas().get(0).state()).isEqualTo(State.LOST);

            site.machines().bringUp(BreakSite.TARGET);
            site.awaitSyncing("it gets what changed while it was away"); // as two programs noted
            site.assertCurrentAgain();

            long[] after = site.load().acknowledged();
            for (int t = 0; t < before.length; t++) {
                assertThat(after[t]).isGreaterThan(before[t]);
            }
            done = true;
        } finally {
            if (!done) {
                SITES.remove(ReplicaPolicy.DEGRADE).close();
            }
        }
    }
}
