package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.SmallDisk;
import io.farheap.replication.journal.ReplicaState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code farheap sync} where the disk has room for a half of what it is to hold: the command says
 * so, and once there is room the same command ends right. What is needed is reserved before
 * anything is copied, so the disk can't be full later.
 */
@Tag("deep")
@Timeout(400)
class FullDiskSyncTest {
    private static final int NOTES = 20;
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;

    @BeforeEach
    void canMount() throws Exception {
        SmallDisk.require();
    }

    private static SyncSite.Run syncOn(SmallDisk disk, SyncSite site) throws Exception {
        List<String> words = new ArrayList<>(List.of(disk.entering()));
        ProcessBuilder command = site.syncCommand();
        words.addAll(command.command());
        return SyncSite.run(command.command(words));
    }

    private static List<String> filesHere(SyncSite site) throws Exception {
        try (Stream<Path> files = Files.list(site.machines().here())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".status"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aPoolThatComesBackToASmallDiskHereLeavesItsReplicaAsItWas() throws Exception {
        try (SyncSite site = new SyncSite(8, "there").patient()) {
            site.addNotes(NOTES);
            site.losePool();
            Path small = site.machines().here().resolve("small");
            Files.writeString(
                    site.set(),
                    "PMEMPOOLSET\n8M %1$s/a\n8M %1$s/b\nREPLICA there copy.set\n".formatted(small));
            try (SmallDisk disk = SmallDisk.mount(site.machines().here(), 12)) {
                Map<Path, Long> before = site.sums();

                syncOn(disk, site)
                        .failedWith(
                                ENVIRONMENT,
                                "8388608 bytes for " + small + "/b",
                                "No space left on device",
                                "make room");

                assertThat(disk.names()).isEmpty();
                await().until(() -> !site.machines().isBusy("there"));
                assertThat(site.sums()).isEqualTo(before);
                assertThat(site.slot("there").state()).isEqualTo(ReplicaState.INSYNC);

                disk.remount("size=20m");
                assertThat(syncOn(disk, site).succeeded().out())
                        .endsWith("verdict: all 2 copies are equal", site.set() + ": synchronized");
                assertThat(disk.names()).containsExactly("a", "b");
            }
        }
    }

    @Test
    void aLocalReplicaOnASmallDiskLeavesTheOtherOneAsItWas() throws Exception {
        try (SyncSite site = new SyncSite(8)) {
            Path here = site.machines().here();
            Files.writeString(
                    site.set(),
                    "PMEMPOOLSET\n16M %1$s/a\nREPLICA\n8M %1$s/b\n8M %1$s/c\n".formatted(here));
            site.addNotes(NOTES);
            Files.delete(here.resolve("b"));
            Files.delete(here.resolve("c"));
            Files.writeString(
                    site.set(),
                    "PMEMPOOLSET\n16M %1$s/a\nREPLICA\n8M %1$s/small/b\n8M %1$s/small/c\n"
                            .formatted(here));
            try (SmallDisk disk = SmallDisk.mount(here, 12)) {
                Map<Path, Long> before = site.sums();

                syncOn(disk, site)
                        .failedWith(ENVIRONMENT, "small/c", "No space left on device", "make room");

                assertThat(disk.names()).isEmpty();
                assertThat(site.sums()).isEqualTo(before);

                disk.remount("size=20m");
                assertThat(syncOn(disk, site).succeeded().out())
                        .endsWith("verdict: all 2 copies are equal", site.set() + ": synchronized");
            }
        }
    }

    /** Its journal has room, its part has not. */
    @Test
    void aSmallDiskThereLeavesThePoolAndTheOtherReplicaAsGoodAsTheyWere() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two").patient()) {
            site.addNotes(NOTES);
            Path there = site.machines().machine("two");
            Files.delete(site.remote("two"));
            Files.delete(Path.of(site.remote("two") + ".journal"));
            site.machines()
                    .write(
                            there.resolve("copy.set"),
                            "PMEMPOOLSET\n16M " + there + "/small/copy\n");
            String agent = site.machines().settings().agentCommand(0).replaceFirst("^exec ", "");
            try (SmallDisk disk = SmallDisk.mount(there, 16)) {
                // Both agents see the small disk; each begins in its own machine's directory.
                String entering =
                        String.join(" ", disk.entering()).replace("--wd=" + there, "--wd=\"$PWD\"");
                site.machines().set("RPMEM_CMD", "exec " + entering + " " + agent);
                List<String> before = filesHere(site);

                site.sync()
                        .failedWith(
                                REPLICA,
                                "replica two copy.set",
                                "small/copy",
                                "No space left on device");

                await().until(() -> !site.machines().isBusy("two"));
                assertThat(disk.names()).isEmpty();
                assertThat(filesHere(site)).isEqualTo(before);
                assertThat(site.notesHere()).hasSize(NOTES);
                assertThat(site.slot("one").state()).isEqualTo(ReplicaState.INSYNC);
                assertThat(site.status().out())
                        .filteredOn(line -> line.startsWith("verdict"))
                        .anyMatch(line -> line.contains("current: it has the pool's number"))
                        .anyMatch(line -> line.contains("empty"));

                disk.remount("size=24m");
                assertThat(site.sync().succeeded().out())
                        .endsWith("verdict: all 3 copies are equal", site.set() + ": synchronized");
            }
        }
    }
}
