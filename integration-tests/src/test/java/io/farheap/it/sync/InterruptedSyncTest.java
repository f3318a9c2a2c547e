package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.it.system.ReplicaCopy;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.replication.journal.ReplicaState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code farheap sync} ended at steps drawn from a seed ({@code farheap.sync.seed}), as often as
 * {@code farheap.sync.interruptions} says, and run again. In between a good copy stays good, and no
 * half one passes for whole; in the end all is as it was. The one exception: a remote replica that
 * the pool has come back from is brought up to that pool, and is half old for as long as that
 * takes; the pool is whole then.
 */
@Tag("deep")
@Timeout(1200)
class InterruptedSyncTest {
    private static final long SEED = Long.getLong("farheap.sync.seed", 20261122);
    private static final int INTERRUPTIONS = Integer.getInteger("farheap.sync.interruptions", 3);
    private static final int AS_KILLED = 137;
    private static final int NOTES = 40;
    private static final int PAGE = 4096;

    private final Random random = new Random(SEED);
    private final TreeMap<String, Integer> steps = new TreeMap<>();

    @TempDir private Path reports;
    private int killed;

    // ---- local replicas ----

    @Test
    void partsThatComeBackFromALocalReplica() throws Exception {
        try (Machines machines = Machines.with()) {
            Path here = machines.here();
            List<Path> parts = Stream.of("a", "b", "c", "d").map(here::resolve).toList();
            Path set =
                    machines.write(
                            here.resolve("pool.set"),
                            "PMEMPOOLSET\n5M %s\n5M %s\nREPLICA\n5M %s\n5M %s\n"
                                    .formatted(parts.toArray()));
            assertThat(machines.java(Notes.class, set.toString(), "" + NOTES).start().waitFor())
                    .isZero();
            Map<Path, byte[]> sound = bytes(parts);
            for (int i = 0; killed < INTERRUPTIONS; i++) {
                restore(sound);
                List<Path> lost = lose(parts);
                String what = "seed " + SEED + ", round " + i + ", lost " + lost;
                Map<Path, byte[]> before = bytes(parts);
                for (boolean again = true; again; again = random.nextBoolean()) {
                    int exitCode = endAtAStep(machines, set, "" + lost.size());
                    assertThat(exitCode).as(what).isIn(0, AS_KILLED);
                    assertNoWorse(parts, before, sound, what);
                }
                assertThat(machines.farheap("sync", set.toString()).start().waitFor())
                        .as(what)
                        .isZero();
                assertNoWorse(parts, sound, sound, what);
                try (Stream<Path> files = Files.list(here)) {
                    assertThat(files.filter(file -> file.toString().contains("restoring")))
                            .as(what)
                            .isEmpty();
                }
                assertHasNotes(set, what);
            }
        }
    }

    /** One replica's parts, some missing and some with a broken header. */
    private List<Path> lose(List<Path> parts) throws IOException {
        int replica = random.nextInt(2);
        int which = 1 + random.nextInt(3);
        List<Path> lost = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            if ((which & 1 << p) != 0) {
                Path part = parts.get(2 * replica + p);
                lost.add(part);
                if (random.nextBoolean()) {
                    Files.delete(part);
                } else {
                    SyncSite.damage(part, random.nextInt(144));
                }
            }
        }
        return lost;
    }

    private static Map<Path, byte[]> bytes(List<Path> parts) throws IOException {
        Map<Path, byte[]> bytes = new TreeMap<>();
        for (Path part : parts) {
            if (Files.exists(part)) {
                bytes.put(part, Files.readAllBytes(part));
            }
        }
        return bytes;
    }

    private static void restore(Map<Path, byte[]> sound) throws IOException {
        for (Map.Entry<Path, byte[]> part : sound.entrySet()) {
            Files.write(part.getKey(), part.getValue());
        }
    }

    /** Each part is as it was, or whole: its content is its own or the other replica's. */
    private static void assertNoWorse(
            List<Path> parts, Map<Path, byte[]> before, Map<Path, byte[]> sound, String what)
            throws IOException {
        Map<Path, byte[]> now = bytes(parts);
        for (Path part : parts) {
            byte[] bytes = now.get(part);
            boolean same = Arrays.equals(bytes, before.get(part));
            // Bytes that nobody uses may differ between replicas.
            byte[] source = sound.get(parts.get((parts.indexOf(part) + 2) % parts.size()));
            boolean whole =
                    bytes != null
                            && (hasContentOf(sound.get(part), bytes)
                                    || hasContentOf(source, bytes));
            assertThat(same || whole).as("%s is as before or whole, %s", part, what).isTrue();
        }
    }

    private static boolean hasContentOf(byte[] whole, byte[] bytes) {
        return Arrays.equals(bytes, PAGE, bytes.length, whole, PAGE, whole.length);
    }

    private static void assertHasNotes(Path set, String what) {
        assertThat(Notes.in(set, pool -> null).reversed()).as(what).isEqualTo(allNotes());
    }

    private static List<Long> allNotes() {
        return LongStream.rangeClosed(1, NOTES).boxed().toList();
    }

    // ---- a remote replica ----

    @Test
    void copiesThatComeAndGoThroughAnAgent() throws Exception {
        try (SyncSite site = new SyncSite(8, "there").patient()) {
            assertThat(site.addNotes(NOTES)).hasSize(NOTES);
            for (int i = 0; killed < INTERRUPTIONS; i++) {
                boolean here = i % 2 == 0;
                String what = "seed " + SEED + ", round " + i + (here ? ", here" : ", there");
                loseOne(site, here);
                Good good = new Good(!here, here, false);
                for (boolean again = true; again; again = random.nextBoolean()) {
                    int exitCode = endAtAStep(site.machines(), site.set(), "" + here);
                    assertThat(exitCode).as(what).isIn(0, AS_KILLED);
                    await(what).until(() -> !site.machines().isBusy("there"));
                    good = stillGood(site, good, what);
                }
                site.sync().succeeded();
                await(what).until(() -> !site.machines().isBusy("there"));
                site.assertInOrder();
                assertThat(site.notesHere().reversed()).as(what).isEqualTo(allNotes());
                assertThat(stillGood(site, good, what)).isEqualTo(new Good(true, true, true));
            }
        }
    }

    private void loseOne(SyncSite site, boolean here) throws IOException {
        if (here) {
            int which = 1 + random.nextInt(3);
            for (int p = 0; p < 2; p++) {
                if ((which & 1 << p) != 0) {
                    Files.delete(site.part(p));
                }
            }
        } else {
            Files.delete(site.remote("there"));
            if (random.nextBoolean()) {
                Files.delete(Path.of(site.remote("there") + ".journal"));
            }
        }
    }

    /**
     * Which copies are whole.
     *
     * @param inStep both are, and of one epoch: from then on there is no exception
     */
    private record Good(boolean here, boolean there, boolean inStep) {}

    /** What was good is good; what is not, says so. */
    private Good stillGood(SyncSite site, Good before, String what) throws Exception {
        boolean here = PoolInspection.of(PoolSource.of(site.set()).existing()).isHealthy(0);
        if (here) {
            assertThat(site.notesHere().reversed()).as("the pool, " + what).isEqualTo(allNotes());
        }
        assertThat(here || !before.here()).as("the pool stays good, " + what).isTrue();
        ReplicaState state = stateThere(site);
        boolean there = state == ReplicaState.INSYNC || state == ReplicaState.PROMOTED;
        if (there) {
            assertHasNotesThere(site, state, what);
        }
        boolean isCorrected = here && !before.inStep() && state == ReplicaState.SYNCING;
        assertThat(there || !before.there() || isCorrected)
                .as("the replica stays good, and is " + state + ", " + what)
                .isTrue();
        return new Good(here, there, here && state == ReplicaState.INSYNC);
    }

    private static ReplicaState stateThere(SyncSite site) {
        Path remote = site.remote("there");
        boolean there = Files.exists(remote) && Files.exists(Path.of(remote + ".journal"));
        return there ? ReplicaCopy.slotOf(remote).state() : ReplicaState.NEW;
    }

    private static void assertHasNotesThere(SyncSite site, ReplicaState state, String what)
            throws Exception {
        try (ReplicaCopy copy = ReplicaCopy.of(site.remote("there"))) {
            if (state == ReplicaState.INSYNC) {
                assertThat(copy.promote()).isNotNull();
            }
            assertHasNotes(copy.set(), "the replica, " + what);
        }
    }

    // ---- the end of a process ----

    /**
     * Runs sync until a step that is drawn.
     *
     * @param kind of damage: the same kind has about as many steps, which the first one tells
     */
    private int endAtAStep(Machines machines, Path set, String kind) throws Exception {
        Path report = reports.resolve("steps");
        Integer known = steps.get(kind);
        long last = known == null ? Long.MAX_VALUE : 1 + random.nextInt(known);
        ProcessBuilder command =
                machines.java(SteppedCommand.class, report.toString(), "sync", set.toString());
        command.command().add(1, "-Dfarheap.last.step=" + last);
        int exitCode = command.redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        killed += exitCode == AS_KILLED ? 1 : 0;
        if (known == null) {
            steps.put(kind, Integer.parseInt(Files.readString(report)));
            System.out.println("steps of a sync of kind " + kind + ": " + steps.get(kind));
        }
        return exitCode;
    }
}
