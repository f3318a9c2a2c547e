package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.system.ReplicaCopy;
import io.farheap.layout.Descriptor;
import io.farheap.replication.journal.ReplicaState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code farheap sync} where another machine takes the place of a target, several copies are lost
 * at once, or what is left elsewhere is damaged.
 */
@Tag("deep")
@Timeout(400)
class ReplacementSyncTest {
    private static final int NOTES = 20;
    private static final int BAD_DATA = 1;
    private static final int REPLICA = 4;

    /** Of the first chunk of the first zone, behind the heap's and the zone's own. */
    private static final long CHUNK_HEADER = Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64;

    private static void rename(SyncSite site, String before, String after) throws Exception {
        String text = Files.readString(site.set());
        Files.writeString(site.set(), text.replace("REPLICA " + before, "REPLICA " + after));
    }

    private static SyncSite withSpare(String... targets) throws Exception {
        SyncSite site = new SyncSite(8, targets).patient();
        site.machines().addTarget("spare");
        site.machines().configure("spare", "journal-size = 1M", "heartbeat-bound = 100000");
        site.machines().poolSet("spare", "copy.set", "16M");
        site.addNotes(NOTES);
        return site;
    }

    private static void assertHasNotes(SyncSite site, String target) throws Exception {
        await().until(() -> !site.machines().isBusy(target));
        try (ReplicaCopy copy = ReplicaCopy.of(site.remote(target))) {
            assertThat(copy.promote()).isNotNull();
            assertThat(Notes.in(copy.set(), pool -> null).reversed())
                    .isEqualTo(LongStream.rangeClosed(1, NOTES).boxed().toList());
        }
    }

    @Test
    void anotherMachineTakesThePlaceOfOneThatIsGoneAndTheOldCopyIsNeverTakenForCurrent()
            throws Exception {
        try (SyncSite site = withSpare("old")) {
            site.machines().takeDown("old");
            rename(site, "old", "spare");
            long before = site.slot("old").cur();

            assertThat(site.sync().succeeded().out())
                    .startsWith("replica 1 (spare copy.set): has no files on the target yet")
                    .contains(
                            "plan: replica 1, spare, copy.set: gets all of the pool, because it has"
                                    + " no files on the target yet",
                            "replica 1, spare, copy.set: equal")
                    .endsWith("verdict: all 2 copies are equal", site.set() + ": synchronized");
            assertHasNotes(site, "spare");
            assertThat(site.slot("old").cur()).as("nobody touched it").isEqualTo(before);

            // It comes back, and is named again.
            site.machines().bringUp("old");
            rename(site, "spare", "old");
            Map<Path, Long> sums = site.sums();
            site.sync()
                    .failedWith(
                            REPLICA,
                            "replica old copy.set: its history and the local pool's can't be"
                                    + " compared",
                            "to keep the local pool: farheap sync --overwrite \"old copy.set\"");
            assertThat(site.sums()).isEqualTo(sums);
            site.sync("--overwrite", "old copy.set").succeeded();
            assertHasNotes(site, "old");
        }
    }

    @Test
    void anEmptyMachineCanNotBringBackALostPoolAndThePoolFileSaysWhoCan() throws Exception {
        try (SyncSite site = withSpare("old")) {
            site.losePool();
            rename(site, "old", "spare");

            site.sync()
                    .failedWith(
                            BAD_DATA,
                            "no healthy replica found",
                            site.part(0) + " is missing",
                            "replica 1 (spare copy.set) has no files");

            rename(site, "spare", "old");
            Files.writeString(site.set(), "REPLICA spare copy.set\n", StandardOpenOption.APPEND);
            assertThat(site.sync().succeeded().out())
                    .contains("now: restore the whole local pool from replica 1 (old copy.set)")
                    .endsWith("verdict: all 3 copies are equal", site.set() + ": synchronized");
            assertThat(site.notesHere()).hasSize(NOTES);
            assertHasNotes(site, "spare");
        }
    }

    /** The journal is left: its number tells that the pool here has all that the copy had. */
    @Test
    void aCopyThatLostAPartAndWasLeftOutIsMadeAnew() throws Exception {
        try (SyncSite site = new SyncSite(8, "there").patient()) {
            site.addNotes(NOTES / 2);
            Files.delete(site.remote("there"));
            site.machines().set("FARHEAP_POLICY", "degrade");
            site.addNotes(NOTES / 2);

            assertThat(site.sync().succeeded().out())
                    .startsWith(
                            "replica 1 (there copy.set): " + site.remote("there") + " is missing")
                    .contains("plan: replica 1, there, copy.set: gets all of the pool")
                    .endsWith("verdict: all 2 copies are equal", site.set() + ": synchronized");
            assertHasNotes(site, "there");
        }
    }

    @Test
    void aPartHereAndOneCopyElsewhereAreBroughtBackInOneGo() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two", "three").patient()) {
            site.addNotes(NOTES);
            Files.delete(site.part(1));
            Files.delete(site.remote("one"));
            Files.delete(site.remote("two"));
            Files.delete(Path.of(site.remote("two") + ".journal"));

            assertThat(site.sync().succeeded().out())
                    .contains(
                            "replica 0 part 1: " + site.part(1) + " is missing",
                            "replica 1 (one copy.set): " + site.remote("one") + " is missing",
                            "plan: replica 3, three, copy.set: stays as it is: the pool is made from"
                                    + " it, and it is attached")
                    .endsWith("verdict: all 4 copies are equal", site.set() + ": synchronized");
            site.assertInOrder();
            assertThat(site.notesHere()).hasSize(NOTES);
        }
    }

    @Test
    void aPartOfOneLocalReplicaAndTheCopyElsewhereComeBackFromTheOtherLocalOne() throws Exception {
        try (SyncSite site = new SyncSite(8, "there").patient()) {
            Path second = site.machines().here().resolve("c");
            Files.writeString(
                    site.set(),
                    Files.readString(site.set())
                            .replace(
                                    "REPLICA there", "REPLICA\n16M " + second + "\nREPLICA there"));
            site.addNotes(NOTES);
            Files.delete(site.part(0));
            Files.delete(site.remote("there"));

            assertThat(site.sync().succeeded().out())
                    .contains(
                            "plan: replica 0, here, "
                                    + site.part(0)
                                    + ": part 0 is made anew from replica 1",
                            "plan: replica 1, here, "
                                    + second
                                    + ": stays as it is: the others are made from it",
                            "plan: replica 2, there, copy.set: gets all of the pool")
                    .endsWith("verdict: all 3 copies are equal", site.set() + ": synchronized");
            assertHasNotes(site, "there");
        }
    }

    // ---- what is elsewhere is damaged ----

    private static void damageRemote(SyncSite site, String target) throws Exception {
        await().until(() -> !site.machines().isBusy(target));
        SyncSite.damage(site.remote(target), CHUNK_HEADER);
    }

    @Test
    void aDamagedCopyDoesNotReplaceWhatIsHereUnlessThatIsMovedAway() throws Exception {
        try (SyncSite site = new SyncSite(8, "there").patient()) {
            site.addNotes(NOTES);
            damageRemote(site, "there");
            Files.delete(site.part(1));
            byte[] left = Files.readAllBytes(site.part(0));

            site.sync()
                    .failedWith(
                            BAD_DATA,
                            "replica 1 (there copy.set): its content is damaged: ",
                            "it does not replace what is here, of which nothing was changed",
                            "move the local part files away");
            assertThat(Files.readAllBytes(site.part(0))).isEqualTo(left);
            assertThat(site.part(1)).doesNotExist();
            assertThat(
                            Files.list(site.machines().here())
                                    .filter(f -> f.toString().contains("rest")))
                    .isEmpty();

            Files.delete(site.part(0));
            SyncSite.Run run = site.sync();
            assertThat(run.exitCode()).as("%s%n%s", run.out(), run.err()).isEqualTo(BAD_DATA);
            assertThat(run.out())
                    .anyMatch(line -> line.startsWith("replica 1 (there copy.set): its content is"))
                    .endsWith(
                            site.set()
                                    + ": restored, and damaged; nobody else got it: farheap check -r -d "
                                    + site.set()
                                    + " says what can be repaired; then run this again");
        }
    }

    // ---- no replica here is whole ----

    /** The second replica here has other borders than the first one. */
    private static SyncSite withPartsThatFitTogether() throws Exception {
        SyncSite site = new SyncSite(8, "there").patient();
        Path here = site.machines().here();
        String second = "REPLICA\n6M %s\n10M %s\n".formatted(here.resolve("c"), here.resolve("d"));
        String lines = Files.readString(site.set());
        Files.writeString(site.set(), lines.replace("REPLICA there", second + "REPLICA there"));
        site.addNotes(NOTES);
        return site;
    }

    private static void loseAPartOfEach(SyncSite site) throws Exception {
        Files.delete(site.part(1));
        SyncSite.damage(site.machines().here().resolve("c"), 100);
    }

    @Test
    void whatReplicasHereHaveTogetherIsCopiedToATargetThatLostItsCopy() throws Exception {
        try (SyncSite site = withPartsThatFitTogether()) {
            loseAPartOfEach(site);
            await().until(() -> !site.machines().isBusy("there"));
            Files.delete(site.remote("there"));
            Files.delete(Path.of(site.remote("there") + ".journal"));

            assertThat(site.sync().succeeded().out())
                    .contains(
                            "now: make these parts anew from what the replicas have together",
                            "replica 2, there, copy.set: equal")
                    .endsWith("verdict: all 3 copies are equal", site.set() + ": synchronized");
            assertHasNotes(site, "there");
        }
    }

    @Test
    void aDamagedCopyNamesWhatReplicasHereHaveTogetherAndIsOverwrittenByOrder() throws Exception {
        try (SyncSite site = withPartsThatFitTogether()) {
            damageRemote(site, "there");
            loseAPartOfEach(site);

            site.sync()
                    .failedWith(
                            BAD_DATA,
                            "replica 2 (there copy.set): its content is damaged: ",
                            "it does not replace what is here, of which nothing was changed",
                            "to make it from that: farheap sync --overwrite \"there copy.set\" "
                                    + site.set());
            assertThat(site.sync("--overwrite", "there copy.set").succeeded().out())
                    .endsWith("verdict: all 3 copies are equal", site.set() + ": synchronized");
            assertHasNotes(site, "there");
        }
    }

    @Test
    void aDamagedCopyIsNotCarriedOnToAGoodOne() throws Exception {
        try (SyncSite site = new SyncSite(8, "one", "two").patient()) {
            site.addNotes(NOTES);
            damageRemote(site, "one");
            damageRemote(site, "two");
            SyncSite.damage(site.remote("two"), CHUNK_HEADER); // as it was
            site.losePool();

            String command = "farheap sync --overwrite \"one copy.set\" " + site.set();
            site.sync()
                    .failedWith(
                            BAD_DATA,
                            "replica 1 (one copy.set): its content is damaged: ",
                            "while replica 2 (two copy.set) may be sound",
                            command);
            assertThat(site.part(0)).doesNotExist();
            await().until(() -> !site.machines().isBusy("two"));
            assertThat(site.slot("two").state()).isEqualTo(ReplicaState.INSYNC);

            site.sync("--overwrite", "one copy.set").succeeded();
            site.assertInOrder();
            assertThat(site.notesHere()).hasSize(NOTES);
        }
    }
}
