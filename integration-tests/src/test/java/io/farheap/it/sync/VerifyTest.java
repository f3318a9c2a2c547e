package io.farheap.it.sync;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap verify} of a pool with a remote replica, by a real agent. */
@Tag("deep")
@Timeout(240)
class VerifyTest {
    private static final int DIFFERENT = 1;
    private static final int IN_USE = 3;
    private static final int NOT_ALL_EQUAL = 5;

    /** Of the first chunk of the first zone, behind the heap's and the zone's own. */
    private static final long CHUNK_HEADER = Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64;

    /** Behind all chunk headers of that zone. */
    private static final long FIRST_RUN = Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 0x80000;

    @Test
    void findsWhatDiffersAndTheCommandsItNamesPutItRight() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            site.addNotes(20);
            Map<Path, Long> before = content(site);
            assertThat(site.verify().succeeded().out()).endsWith("verdict: all 2 copies are equal");
            assertThat(content(site)).isEqualTo(before);

            SyncSite.damage(site.remote("there"), CHUNK_HEADER);
            SyncSite.Run found = site.verify();
            assertThat(found.exitCode()).isEqualTo(DIFFERENT);
            assertThat(found.out())
                    .contains(
                            "replica 1, there, copy.set: different, differs in 1 place, 8 bytes",
                            "  image offset "
                                    + CHUNK_HEADER
                                    + ", 8 bytes: the header of chunk 0 of zone 0")
                    .anyMatch(line -> line.contains("farheap sync --overwrite \"there copy.set\""));
            site.sync("--overwrite", "there copy.set").succeeded();
            assertThat(site.verify("-q").succeeded().out()).isEmpty();

            // This side's structure shows that it is the wrong one.
            SyncSite.damage(site.part(0), CHUNK_HEADER);
            assertThat(site.verify().out())
                    .anyMatch(line -> line.startsWith("verdict: replica 1 is right, replica 0 is"))
                    .endsWith("next step: farheap sync --from \"there copy.set\" " + site.set());
            site.sync("--from", "there copy.set").succeeded();
            assertThat(site.verify("-q").succeeded().out()).isEmpty();
            site.assertHasNotes(20);
        }
    }

    @Test
    void aSoundRemoteCopyIsNotBlamedForARunThatIsDamagedHere() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            site.addNotes(20);
            byte[] bytes = Files.readAllBytes(site.part(0));
            Arrays.fill(bytes, (int) FIRST_RUN, (int) FIRST_RUN + Long.BYTES, (byte) 0);
            Files.write(site.part(0), bytes);

            SyncSite.Run run = site.verify();

            assertThat(run.exitCode()).as(run.out().toString()).isEqualTo(DIFFERENT);
            assertThat(run.out())
                    .anyMatch(line -> line.startsWith("verdict: replica 1 is right, replica 0 is"))
                    .endsWith("next step: farheap sync --from \"there copy.set\" " + site.set());
        }
    }

    /** All but the note of who had the replica last. */
    private static Map<Path, Long> content(SyncSite site) throws IOException {
        Map<Path, Long> sums = site.sums();
        sums.keySet().removeIf(file -> file.toString().endsWith(".lock"));
        return sums;
    }

    @Test
    void aKillLeavesNoDifferenceAndWhatCantBeComparedIsSaid() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            Process program = site.holdWith(25);
            SyncSite.Run open = site.verify("--json");
            assertThat(open.exitCode()).isEqualTo(IN_USE);
            assertThat(String.join("\n", open.out()))
                    .contains("\"open\" : true", "\"openIn\" : " + program.pid());

            Machines.signal("KILL", program.toHandle());
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            await().until(() -> site.machines().anyAgentOf(site.remote("there")).isEmpty());
            assertThat(site.verify().succeeded().out()).endsWith("verdict: all 2 copies are equal");

            site.machines().takeDown("there");
            SyncSite.Run down = site.verify();
            assertThat(down.exitCode()).isEqualTo(NOT_ALL_EQUAL);
            assertThat(down.out())
                    .anyMatch(line -> line.startsWith("replica 1, there, copy.set: not compared"))
                    .contains("verdict: replicas 0, 1 are not compared")
                    .anyMatch(line -> line.contains("next step: see that the target answers"));
        }
    }

    @Test
    void anAgentThatIsLostTakesOnlyItsOwnCopyFromTheReport() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two")) {
            site.addNotes(5);
            Process verify = site.farheapCommand("verify").start();
            await().until(() -> site.machines().anyAgentOf(site.remote("one")).isPresent());
            ProcessHandle agent = site.machines().agentOf(site.remote("one"));
            Machines.signal("STOP", agent); // nothing can end well without it
            Machines.signal("KILL", agent);

            String said = new String(verify.getInputStream().readAllBytes(), UTF_8);

            assertThat(verify.waitFor()).as(said).isEqualTo(NOT_ALL_EQUAL);
            assertThat(said.lines())
                    .anyMatch(
                            line -> line.startsWith("replica 0, here") && line.contains(": equal"))
                    .anyMatch(line -> line.startsWith("replica 1, one, copy.set: not compared: "))
                    .contains("replica 2, two, copy.set: equal");
        }
    }

    @Test
    void onATargetItSaysThatTheOthersAreNotKnownThere() throws Exception {
        try (SyncSite site = new SyncSite(8, "there")) {
            site.addNotes(1);
            String copy = site.machines().machine("there").resolve("copy.set").toString();
            SyncSite.Run run = site.farheap(List.of("verify", copy));
            site.farheap(List.of("check", copy)).succeeded();
            assertThat(run.exitCode()).isEqualTo(NOT_ALL_EQUAL);
            assertThat(run.out())
                    .anyMatch(line -> line.contains("it is a replica of a pool on another machine"))
                    .anyMatch(line -> line.startsWith("next step: on the pool's machine:"));
        }
    }
}
