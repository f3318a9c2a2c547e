package io.farheap.it.system;

import static io.farheap.it.system.PromotionSite.REPLICA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.ObjectPool;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.it.interop.NativeJudge;
import io.farheap.it.interop.NativeJudge.Answer;
import io.farheap.it.support.Agreement;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Ran;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.journal.ReplicaState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pool's machine is lost and its replica is promoted: all that was acknowledged is there, the
 * old machine is refused should it come back, and can be a replica, or the owner again.
 */
@Tag("deep")
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
    void programsAreToldWhatAPromotionFoundAndDid() throws IOException {
        try (PromotionSite site = new PromotionSite(seed, "64M", "64M")) {
            site.workAndDie(site.set());
            long epoch = site.slot().cur();

            JsonNode found = promotion(site, "--dry-run");
            assertThat(found.get("dryRun").asBoolean()).isTrue();
            assertThat(found.get("state").asText()).isEqualTo("INSYNC");
            assertThat(found.get("epoch").asLong()).isEqualTo(epoch);
            assertThat(found.has("number")).isFalse();

            JsonNode done = promotion(site);
            assertThat(done.get("lastRecord")).isEqualTo(found.get("lastRecord"));
            assertThat(done.get("applied")).isEqualTo(found.get("notApplied"));
            assertThat(done.get("number").asLong()).isPositive();

            JsonNode again = promotion(site);
            assertThat(again.get("state").asText()).isEqualTo("PROMOTED");
            assertThat(again.get("epoch").asLong()).isEqualTo(epoch);
            assertThat(again.has("applied")).isFalse();
        }
    }

    private static JsonNode promotion(PromotionSite site, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("promote", "--json", "copy.set"));
        words.addAll(List.of(more));
        String out = site.farheap("there", words.toArray(String[]::new)).succeeded().out();
        return JsonMapper.builder().build().readTree(out);
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

            site.agreeing("there", "promote", "--take-over", "copy.set").succeeded();
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
            String inUse = "is in use by process " + owner.process().pid();
            List<String> overwrite = List.of("sync", "--overwrite", REPLICA, site.set().toString());
            for (String order : List.of("", "--take-over")) {
                List<String> words = new ArrayList<>(overwrite);
                words.addAll(1, order.isEmpty() ? List.of() : List.of(order));
                Ran run = site.agreeing("here", words.toArray(String[]::new));
                owner.awaitCommits(5);
                run.failedWith(REPLICA_CODE, "in use by process " + owner.process().pid());
            }
            Ran removal = site.agreeing("here", "rm", "-f", "-a", site.set().toString());
            owner.awaitCommits(5);
            removal.failedWith(REPLICA_CODE, inUse);
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
            site.agreeing("there", "sync", "--overwrite", "here pool.set", "copy.set").succeeded();

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
            site.agreeing("here", "sync", "--from", REPLICA, set)
                    .failedWith(REPLICA_CODE, "replica 1 (there copy.set)", "in use by process");
            owner.close();
            long[] acknowledged = owner.acknowledged();

            assertThat(site.farheap("here", "sync", "-d", "--from", REPLICA, set).succeeded().out())
                    .contains("all of it is made anew from replica 1");
            site.agreeing("here", "sync", "--from", REPLICA, set).succeeded();
            assertThat(site.slot().state()).isEqualTo(ReplicaState.INSYNC);
            assertThat(site.wholeIn(site.set())).isEqualTo(acknowledged);
        }
    }

    @Test
    void aProgramThatWasCutOffGoesOnAloneUnderDegradeAndIsNeverMerged() {
        try (PromotionSite site = new PromotionSite(seed, "64M", "64M")) {
            site.workAndClose(site.set());
            Machines machines = site.machines();
            try (ObjectPool pool = degrading(site)) {
                commit(pool, 5);
                machines.takeDown("there");
                site.agreeing("there", "promote", "--take-over", "copy.set").succeeded();
                commit(pool, 5);
                assertThat(pool.replicas().get(0).state()).isEqualTo(State.LOST);
                machines.bringUp("there");
                await().until(() -> pool.replicas().get(0).state() == State.REFUSED);
                assertThat(pool.replicas().get(0).reason()).contains(BOTH_WAYS);
                commit(pool, 5);
            }
            long[] alone = site.wholeIn(site.set());
            long[] promoted = site.wholeIn(site.copySet());
            assertThat(promoted[0]).isEqualTo(alone[0] - 10);
            assertThat(site.farheap("here", "status", site.set().toString()).out())
                    .contains("taken over");

            String set = site.set().toString();
            site.agreeing("here", "sync", "--from", REPLICA, set).succeeded();
            assertThat(site.wholeIn(site.set())).isEqualTo(promoted);
        }
    }

    private static ObjectPool degrading(PromotionSite site) {
        ReplicationSettings settings =
                site.machines()
                        .settings()
                        .withPolicies(new ReplicaPolicies(ReplicaPolicy.DEGRADE, Map.of()));
        return ClassPathReplicas.replacedBy(
                pool -> RemoteReplication.attach(pool, AttachOptions.NONE, settings),
                () -> ObjectPool.open(site.set(), Ledgers.LAYOUT));
    }

    private void commit(ObjectPool pool, int count) {
        Ledgers ledgers = new Ledgers(pool, PromotionSite.THREADS);
        LedgerScript script = LedgerScript.after(seed, 0, ledgers.number(0));
        for (int i = 0; i < count; i++) {
            ledgers.commit(0, script);
        }
    }

    /** Whatever the moment, what can be opened is the old pool or all of the promoted one. */
    @Test
    void aFailbackThatIsKilledLeavesNoHalfPoolAndIsRunAgain() throws Exception {
        Random random = new Random(seed);
        try (PromotionSite site = new PromotionSite(seed, "64M", "64M")) {
            site.workAndDie(site.set());
            site.farheap("there", "promote", "copy.set").succeeded();
            long[] promoted = site.workAndClose(site.copySet());
            Path part = site.machines().here().resolve("pool.part0");
            Path unfinished = part.resolveSibling("pool.part0.farheap-restoring");
            Path errors = Files.createTempFile(site.machines().here(), "sync", ".err");
            String[] agreed =
                    Agreement.words(
                            site.farheap("here", "sync", "--from", REPLICA, site.set().toString())
                                    .err());
            assertThat(agreed).contains("--from", REPLICA, "--yes");
            int killed = 0;
            for (int round = 0; round < 5; round++) {
                Process sync = site.start("here", errors, agreed);
                await().until(() -> Files.exists(unfinished) || !sync.isAlive());
                LockSupport.parkNanos(random.nextInt(300_000_000));
                killed += sync.isAlive() ? 1 : 0;
                Machines.signal("KILL", sync.toHandle());
                assertThat(sync.waitFor(60, TimeUnit.SECONDS)).isTrue();
                if (Files.exists(part)) {
                    site.assertOldOr(promoted, part);
                }
            }
            assertThat(killed).as("killed while it worked").isPositive();
            site.agreeing("here", "sync", "--from", REPLICA, site.set().toString()).succeeded();
            assertThat(site.slot().state()).isEqualTo(ReplicaState.INSYNC);
            assertThat(site.wholeIn(site.set())).isEqualTo(promoted);
        }
    }
}
