package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.it.support.Machines;
import io.farheap.layout.Descriptor;
import io.farheap.pool.Ownership;
import io.farheap.replication.journal.ReplicaState;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap sync} on real pools, with real agents. */
@Tag("deep")
@Timeout(400)
class SyncTest {
    private static final int BAD_DATA = 1;

    /** Of the first chunk of the first zone, behind the heap's and the zone's own. */
    private static final long CHUNK_HEADER = Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64;

    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;

    @Test
    void restoresALostPoolFromItsReplicaAndSaysWhatItWouldDoBefore() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            site.addNotes(30);
            site.losePool();
            Map<Path, Long> before = site.sums();

            SyncSite.Run dryRun = site.sync("--dry-run").succeeded();

            assertThat(dryRun.out())
                    .containsExactly(
                            "replica 0 part 0: " + site.part(0) + " is missing",
                            "replica 0 part 1: " + site.part(1) + " is missing",
                            "plan: replica 0, here, "
                                    + site.part(0)
                                    + ": all of it is made anew from replica 1",
                            "plan: replica 1, there, copy.set: stays as it is: the pool is made from"
                                    + " it, and it is attached",
                            site.set() + ": nothing was changed");
            assertThat(site.sums()).isEqualTo(before);

            SyncSite.Run restored = site.sync().succeeded();
            boolean root = Ownership.ofThisProcess().user() == 0;
            assertThat(restored.out())
                    .filteredOn(line -> line.startsWith("the new files belong to root"))
                    .hasSize(root ? 1 : 0);
            assertThat(restored.out())
                    .contains("now: restore the whole local pool from replica 1 (there copy.set)")
                    .contains("replica 1, there, copy.set: equal")
                    .endsWith("verdict: all 2 copies are equal", site.set() + ": synchronized");
            site.assertInOrder();
            site.assertHasNotes(30);
            assertThat(site.sync().succeeded().out())
                    .contains("plan: replica 1, there, copy.set: stays as it is")
                    .endsWith(site.set() + ": nothing needs to be done");
        }
    }

    @Test
    void neverReplacesAReplicaThatItsTargetCannotRead() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            site.addNotes(30);
            Path remote = site.remote("there");
            Path kept = Files.move(remote, remote.resolveSibling("kept"));
            Files.createSymbolicLink(remote, remote);

            site.sync()
                    .failedWith(
                            REPLICA,
                            remote + " cannot be read: Too many levels of symbolic links",
                            "nothing tells how old they are");

            assertThat(remote).isSymbolicLink();
            Files.move(kept, remote, StandardCopyOption.REPLACE_EXISTING);
            assertThat(site.sync().succeeded().out())
                    .endsWith(site.set() + ": nothing needs to be done");
        }
    }

    @Test
    void restoresSinglePartsAndTheRemoteReplica() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            site.addNotes(20);

            Files.delete(site.part(1));
            assertThat(site.sync().succeeded().out())
                    .startsWith("replica 0 part 1: " + site.part(1) + " is missing");

            SyncSite.damage(site.part(0), 100);
            assertThat(site.sync().succeeded().out().get(0))
                    .contains("replica 0 part 0: " + site.part(0), "checksum");
            site.assertHasNotes(20);

            Files.delete(site.remote("there"));
            assertThat(site.sync().succeeded().out())
                    .startsWith(
                            "replica 1 (there copy.set): " + site.remote("there") + " is missing")
                    .contains(
                            "plan: replica 1, there, copy.set: gets all of the pool",
                            "now: open the pool and copy all of it to replica 1 (there copy.set)");
            site.assertInOrder();

            Files.delete(site.remote("there"));
            Files.delete(Path.of(site.remote("there") + ".journal"));
            assertThat(site.sync().succeeded().out())
                    .startsWith("replica 1 (there copy.set): has no files on the target yet");
            site.assertInOrder();

            // The copy is one that a pool can be restored from.
            site.losePool();
            site.sync().succeeded();
            site.assertHasNotes(20);
        }
    }

    @Test
    void aDamagedPoolIsNotCopiedAndComesBackFromAGoodReplica() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two")) {
            site.addNotes(20);
            SyncSite.damage(site.part(0), CHUNK_HEADER);
            Files.delete(site.remote("two"));

            assertThat(site.sync().succeeded().out())
                    .anyMatch(line -> line.startsWith("replica 0: its content is damaged: "))
                    .contains(
                            "plan: replica 0, here, "
                                    + site.part(0)
                                    + ": all of it is made anew from replica 1")
                    .endsWith("verdict: all 3 copies are equal", site.set() + ": synchronized");
            site.assertInOrder();
            site.assertHasNotes(20);

            SyncSite.damage(site.part(0), CHUNK_HEADER);
            Files.delete(site.remote("one"));
            Files.delete(site.remote("two"));
            Map<Path, Long> before = site.sums();
            site.sync().failedWith(BAD_DATA, "no healthy replica found", "its content is damaged");
            assertThat(site.sums()).isEqualTo(before);
        }
    }

    @Test
    void bringsTwoReplicasToWhereTheNewerOneIs() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two")) {
            Process program = site.holdWith(25);
            Machines.signal("KILL", program.toHandle());
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            site.losePool();

            assertThat(site.sync().succeeded().out())
                    .anyMatch(line -> line.startsWith("now: restore the whole local pool from"))
                    .anyMatch(line -> line.startsWith("now: open the pool and copy all of it to"));

            site.assertInOrder();
            site.assertHasNotes(25);
        }
    }

    @Test
    void neverCopiesAnOlderPoolOverANewerOne() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            site.addNotes(5);
            for (int i = 0; i < 2; i++) {
                Files.copy(site.part(i), site.machines().machine("there").resolve("backup" + i));
            }
            site.addNotes(5);
            restoreBackup(site);
            Map<Path, Long> before = site.sums();

            site.sync()
                    .failedWith(
                            REPLICA,
                            "replica there copy.set: its history and the local pool's can't be"
                                    + " compared",
                            "to keep the local pool: farheap sync --overwrite \"there copy.set\" "
                                    + site.set(),
                            "to keep the replica: farheap sync --from");
            assertThat(site.sums()).isEqualTo(before);

            // One way, and the other.
            site.losePool();
            site.sync().succeeded();
            site.assertHasNotes(10);

            restoreBackup(site);
            site.sync("--overwrite", "there copy.set").succeeded();
            site.assertInOrder();
            site.assertHasNotes(5);
        }
    }

    private static void restoreBackup(SyncSite site) throws Exception {
        for (int i = 0; i < 2; i++) {
            Path backup = site.machines().machine("there").resolve("backup" + i);
            Files.copy(backup, site.part(i), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Test
    void changesNothingWhereItCannotHelp() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            Process program = site.holdWith(5);
            site.sync("--take-over")
                    .failedWith(
                            ENVIRONMENT,
                            site.part(0).toString(),
                            "in use by process " + program.pid());
            program.outputWriter().close();
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();

            site.losePool();
            site.machines().takeDown("there");
            Map<Path, Long> before = site.sums();
            site.sync().failedWith(REPLICA, "there copy.set", "No route to host");
            assertThat(site.sums()).isEqualTo(before);
            site.machines().bringUp("there");

            Files.delete(site.remote("there"));
            before = site.sums();
            site.sync()
                    .failedWith(
                            BAD_DATA,
                            "no healthy replica found",
                            site.part(0) + " is missing",
                            site.remote("there") + " is missing");
            assertThat(site.sums()).isEqualTo(before);
        }
    }

    @Test
    void finishesWhatAKilledRestorationBegan() throws Exception {
        try (SyncSite site = new SyncSite(64, "there")) {
            site.addNotes(40);
            site.losePool();

            Process first = site.syncCommand().start();
            awaitState(site, first, ReplicaState.PROMOTED);
            Machines.signal("KILL", first.toHandle());
            assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(first.exitValue()).as("killed, not done").isNotZero();

            site.sync().succeeded();
            site.assertInOrder();
            site.assertHasNotes(40);
        }
    }

    @Test
    void finishesWhatAKilledFullCopyBeganAndTrustsNoHalfOne() throws Exception {
        try (SyncSite site = new SyncSite(64, "there")) {
            site.addNotes(40);
            Files.delete(site.remote("there"));
            Files.delete(Path.of(site.remote("there") + ".journal"));

            Process first = site.syncCommand().start();
            Path journal = Path.of(site.remote("there") + ".journal");
            awaitState(site, first, ReplicaState.SYNCING);
            Machines.signal("KILL", site.machines().agentOf(site.remote("there")));
            Machines.signal("KILL", first.toHandle());
            assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(journal).exists();
            assertThat(site.slot("there").state()).isEqualTo(ReplicaState.SYNCING);

            Path aside = site.machines().machine("there").resolve("aside");
            Files.move(site.part(1), aside);
            site.sync().failedWith(BAD_DATA, "no healthy replica found", "no complete copy");
            Files.move(aside, site.part(1));

            assertThat(site.sync().succeeded().out())
                    .startsWith("replica 1 (there copy.set): a full copy of it never ended");
            site.assertInOrder();
        }
    }

    /** Looks at the durable slot as fast as it can: the state lasts for a moment only. */
    private static void awaitState(SyncSite site, Process process, ReplicaState state) {
        Path journal = Path.of(site.remote("there") + ".journal");
        while (process.isAlive()) {
            if (Files.exists(journal) && stateOf(site) == state) {
                return;
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("sync ended before the replica was " + state);
    }

    private static ReplicaState stateOf(SyncSite site) {
        try {
            return site.slot("there").state();
        } catch (FarheapException | UncheckedIOException e) {
            return null; // not written yet
        }
    }
}
