package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.it.system.ReplicaCopy;
import io.farheap.replication.journal.ReplicaState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap sync --limit} with a real agent: nobody is taken for gone while it waits. */
@Tag("deep")
@Timeout(400)
class LimitedSyncTest {
    private static final int PART = 8; // MiB, of two

    /** Lanes are not copied, and the last byte is not waited for. */
    private static final double LEAST_MIB = 10;

    /** A run, and how long it took. */
    private record Timed(SyncSite.Run run, double seconds) {
        static Timed sync(SyncSite site, String... options) throws Exception {
            long begin = System.nanoTime();
            SyncSite.Run run = site.sync(options);
            return new Timed(run, (System.nanoTime() - begin) / 1e9);
        }

        void assertDone(String task) throws Exception {
            assertThat(run.exitCode()).as("%s", run).isZero();
            boolean done = false;
            for (String line : run.err()) {
                JsonNode json = new JsonMapper().readTree(line);
                done |= json.get("task").asText().equals(task) && json.get("done").asBoolean();
            }
            assertThat(done).as("%s", run).isTrue();
        }
    }

    /** Longer than an agent bears silence. */
    @Test
    void aReplicaGetsThePoolSlowly() throws Exception {
        try (SyncSite site = new SyncSite(PART, "there")) {
            site.addNotes(20);
            Files.delete(site.remote("there"));
            Timed sync = Timed.sync(site, "--limit=800K", "--progress=json");
            sync.assertDone("copying");
            assertThat(sync.seconds()).isBetween(LEAST_MIB / 0.8, 120.0);
            site.assertInOrder();
            site.assertHasNotes(20);
        }
    }

    @Test
    void aPoolComesBackFromAReplicaSlowly() throws Exception {
        try (SyncSite site = new SyncSite(PART, "there")) {
            site.addNotes(20);
            site.losePool();
            Timed sync = Timed.sync(site, "--limit=1M", "--progress=json");
            sync.assertDone("copying");
            sync.assertDone("comparing");
            assertThat(sync.seconds()).isBetween(3 * LEAST_MIB, 200.0); // checksums, too
            site.assertInOrder();
            site.assertHasNotes(20);
        }
    }

    @Test
    void aKilledOneIsKnownToHaveBegunAndIsDoneByTheNext() throws Exception {
        try (SyncSite site = new SyncSite(PART, "there")) {
            site.addNotes(20);
            Files.delete(site.remote("there"));
            Process sync =
                    site.syncCommand("--limit=64K")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try {
                await().atMost(Duration.ofMinutes(1)).until(() -> isBegun(site));
            } finally {
                sync.destroyForcibly();
            }
            assertThat(sync.waitFor()).isEqualTo(137);
            await().until(() -> !site.machines().isBusy("there"));
            assertThat(isBegun(site)).isTrue();

            SyncSite.Run next = site.sync().succeeded();
            assertThat(next.out())
                    .anyMatch(line -> line.contains("a full copy of it never ended"))
                    .endsWith(site.set() + ": synchronized");
            site.assertInOrder();
            site.assertHasNotes(20);
        }
    }

    private static boolean isBegun(SyncSite site) {
        Path remote = site.remote("there");
        return Files.exists(remote)
                && Files.exists(Path.of(remote + ".journal"))
                && ReplicaCopy.slotOf(remote).state() == ReplicaState.SYNCING;
    }
}
