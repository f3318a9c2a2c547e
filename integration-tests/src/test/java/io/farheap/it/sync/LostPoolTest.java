package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program that is started again after its part files were lost makes no pool over the copies. */
@Tag("deep")
@Timeout(300)
class LostPoolTest {
    private static SyncSite.Run program(SyncSite site) throws Exception {
        return SyncSite.run(site.machines().java(Notes.class, site.set().toString(), "1"));
    }

    private static Map<Path, Long> copies(SyncSite site) throws Exception {
        Map<Path, Long> files = new TreeMap<>(site.sums());
        files.keySet().removeIf(file -> !file.toString().contains("copy.part"));
        return files;
    }

    private static String said(SyncSite.Run run) {
        assertThat(run.exitCode()).as("%s", run).isNotZero();
        return String.join("\n", run.err());
    }

    @Test
    void theCopyOnTheTargetStaysAndThePoolComesBackFromIt() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            site.addNotes(3);
            site.losePool();
            Map<Path, Long> before = copies(site);

            assertThat(said(program(site)))
                    .contains(
                            "the target holds a copy of the pool",
                            "last written 20",
                            "to restore that pool: farheap sync " + site.set());
            site.farheap(List.of("create", "-l", "notes", site.set().toString()))
                    .failedWith(2, "the target holds a copy of the pool", "farheap sync");

            assertThat(copies(site)).isEqualTo(before);
            assertThat(site.part(0)).doesNotExist();
            site.sync().succeeded();
            site.assertHasNotes(3);
        }
    }

    @Test
    void aTargetThatDoesNotAnswerMayHoldACopy() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            site.addNotes(3);
            site.losePool();
            site.machines().takeDown("one");
            site.machines().set("FARHEAP_POLICY", "degrade");

            assertThat(said(program(site)))
                    .contains("no pool is created while that target may hold a copy of it");

            assertThat(site.part(0)).doesNotExist();
            site.machines().bringUp("one");
            site.sync().succeeded();
            site.assertHasNotes(3);
        }
    }

    @Test
    void aPoolWhoseCreationWasCutIsNotCalledCurrentBesideTheCopy() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            site.addNotes(3);
            site.losePool();
            Path alone = site.machines().here().resolve("alone.set");
            Files.writeString(
                    alone, "PMEMPOOLSET\n8M %s\n8M %s\n".formatted(site.part(0), site.part(1)));
            PoolFiles.create(PoolSource.of(alone), CreateOptions.withLayout("notes"), memory -> {})
                    .close();
            Files.delete(alone);

            List<String> status = site.status().out();

            assertThat(status).noneMatch(line -> line.contains("current"));
            assertThat(status)
                    .anyMatch(line -> line.contains("its creation was cut"))
                    .filteredOn(line -> line.startsWith("next step"))
                    .allMatch(line -> line.endsWith(": farheap sync " + site.set()));
            site.sync().succeeded();
            site.assertHasNotes(3);
        }
    }

    /** The replica's agent does not come, and so the creation hangs until it is killed. */
    @Test
    void aProgramThatIsKilledWhileItAsksLeavesNothing() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            site.addNotes(3);
            site.losePool();
            Map<Path, Long> before = copies(site);
            String agent = site.machines().settings().agentCommand(0);
            site.machines().set("RPMEM_CMD", ": >asked; exec sleep 300");
            Process program =
                    site.machines().java(Notes.class, site.set().toString(), "1", "hold").start();
            Path asked = site.machines().machine("one").resolve("asked");
            await().until(() -> Files.exists(asked));
            Machines.signal("KILL", program.toHandle());
            site.machines().killAll("one");
            site.machines().bringUp("one");
            site.machines().set("RPMEM_CMD", agent);

            assertThat(site.part(0)).doesNotExist();
            assertThat(copies(site)).isEqualTo(before);
            site.sync().succeeded();
            site.assertHasNotes(3);
        }
    }

    @Test
    void aPoolThatNeverWasIsToBeCreated() throws Exception {
        try (SyncSite site = new SyncSite(8, "one")) {
            List<String> status = site.status().out();

            assertThat(status)
                    .anyMatch(line -> line.contains("if the pool never was: farheap create"));
            assertThat(said(site.sync())).contains("if the pool never was: farheap create");
        }
    }
}
