package io.farheap.it.system;

import static io.farheap.it.system.PromotionSite.REPLICA;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.interop.NativeJudge;
import io.farheap.it.interop.NativeJudge.Answer;
import io.farheap.it.support.Machines;
import io.farheap.replication.journal.ReplicaState;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pool's machine is lost and its replica is promoted: all that was acknowledged is there, the
 * old machine is refused should it come back, and can be a replica, or the owner again.
 */
@Timeout(400)
class PromotionTest {
    private static final int REPLICA_CODE = 4;
    private static final String[] BOTH_WAYS = {
        "was taken over (promoted)",
        "to keep the local pool: farheap sync --overwrite \"there copy.set\"",
        "to keep the replica: farheap sync --from \"there copy.set\""
    };

    private final long seed = new Random().nextLong() >>> 16;

    @ParameterizedTest
    @ValueSource(strings = {"on its machine", "through its agent"})
    void aReplicaBecomesAPoolThatHasEveryCommitThatReturned(String how) {
        NativeJudge.require();
        // The target has room to spare, which stays unused.
        try (PromotionSite site = new PromotionSite(seed, "64M", "70M")) {
            long[] acknowledged = site.workAndDie(site.set());
            boolean here = how.startsWith("on");
            String machine = here ? "there" : "here";
            String name = here ? "copy.set" : REPLICA;
            long epoch = site.slot().cur();
            Map<Path, Long> before = site.sums("there");

            assertThat(site.farheap(machine, "promote", "--dry-run", name).succeeded().out())
                    .contains(
                            name + ": INSYNC, epoch " + epoch + " since 20",
                            "), records up to number ",
                            "whether another copy is newer can't be known",
                            "nothing was changed");
            assertThat(site.sums("there")).isEqualTo(before);

            assertThat(site.farheap(machine, "promote", name).succeeded().out())
                    .contains(name + ": promoted, a pool of its own with the number ");
            assertThat(site.slot().state()).isEqualTo(ReplicaState.PROMOTED);
            assertThat(site.farheap(machine, "promote", name).succeeded().out())
                    .contains("every commit that returned in epoch " + epoch, "nothing is to be");

            // Before anybody has opened it, whose recovery would mend what is not in order.
            assertThat(site.farheap("there", "check", "copy.set").succeeded().exitCode()).isZero();
            NativeJudge.assertConsistent(site.copySet());
            site.assertHas(site.copySet(), acknowledged);
            Answer listed = NativeJudge.judge("list", site.copySet().toString());
            assertThat(listed.exitCode()).as(listed.err()).isZero();
            assertThat(listed.out().lines().count()).isGreaterThan(PromotionSite.THREADS);
            long[] more = site.workAndClose(site.copySet());
            assertThat(site.wholeIn(site.copySet())).isEqualTo(more);
        }
    }

    @Test
    void aProgramThatLivesIsStoppedByOrderOnly() {
        try (PromotionSite site = new PromotionSite(seed, "64M", "64M")) {
            Load load = site.working(site.set());
            site.farheap("there", "promote", "copy.set")
                    .failedWith(
                            REPLICA_CODE,
                            "copy.set cannot be promoted: it is attached to ",
                            "--take-over");
            load.awaitCommits(5);
            assertThat(site.slot().state()).isEqualTo(ReplicaState.INSYNC);

            site.farheap("there", "promote", "--take-over", "copy.set").succeeded();
            long[] acknowledged = load.acknowledged();
            load.awaitTrouble();
            load.awaitLastWords(BOTH_WAYS[1]);
            assertThat(load.lastWords()).allSatisfy(words -> assertThat(words).contains(BOTH_WAYS));
            assertThat(load.acknowledged()).isEqualTo(acknowledged);
            load.kill();
            site.assertHas(site.copySet(), acknowledged);
        }
    }

    @Test
    void theOldPoolIsRefusedAndBecomesAReplicaByOrder() {
        try (PromotionSite site = new PromotionSite(seed, "64M", "64M")) {
            site.workAndDie(site.set());
            site.farheap("there", "promote", "copy.set").succeeded();

            assertRefused(site, site.set(), BOTH_WAYS);
            Load owner = site.working(site.copySet());
            assertRefused(site, site.set(), BOTH_WAYS);
            site.farheap("here", "sync", site.set().toString()).failedWith(REPLICA_CODE, BOTH_WAYS);
            site.farheap("here", "sync", "--overwrite", REPLICA, site.set().toString())
                    .failedWith(REPLICA_CODE, "in use by process");
            owner.awaitCommits(5);
            owner.close();

            Machines machines = site.machines();
            machines.poolSet("there", "copy.set", "64M", "here pool.set");
            assertRefused(site, site.copySet(), "must have one replica", "Take the REPLICA lines");
            assertRefused(site, site.set(), BOTH_WAYS);
            machines.poolSet("here", "pool.set", "64M");
            assertRefused(site, site.copySet(), "without a journal", "farheap sync --overwrite");
            site.farheap("there", "sync", site.copySet().toString())
                    .failedWith(
                            REPLICA_CODE,
                            "the part files are a pool with the number ",
                            "farheap sync --overwrite \"here pool.set\" ");
            site.farheap("there", "sync", "--overwrite", "here pool.set", "copy.set").succeeded();

            long[] acknowledged = site.workAndDie(site.copySet());
            site.farheap("here", "promote", "pool.set").succeeded();
            site.assertHas(site.set(), acknowledged);
        }
    }

    private static void assertRefused(PromotionSite site, Path pool, String... words) {
        Load refused = site.load(pool);
        assertThat(refused.awaitFailure()).contains(words);
        refused.awaitEnd();
    }

    @Test
    void theOldMachineIsTheOwnerAgainWithWhatThePromotedPoolHas() throws Exception {
        try (PromotionSite site = new PromotionSite(seed, "64M", "70M")) {
            site.workAndDie(site.set());
            site.farheap("there", "promote", "copy.set").succeeded();
            Load owner = site.working(site.copySet());
            String set = site.set().toString();
            site.farheap("here", "sync", "--from", REPLICA, set)
                    .failedWith(REPLICA_CODE, "replica 1 (there copy.set)", "in use by process");
            owner.close();
            long[] acknowledged = owner.acknowledged();

            assertThat(site.farheap("here", "sync", "-d", "--from", REPLICA, set).succeeded().out())
                    .contains("would restore the whole local pool from replica 1");
            site.farheap("here", "sync", "--from", REPLICA, set).succeeded();
            assertThat(site.slot().state()).isEqualTo(ReplicaState.INSYNC);
            assertThat(site.wholeIn(site.set())).isEqualTo(acknowledged);
        }
    }
}
