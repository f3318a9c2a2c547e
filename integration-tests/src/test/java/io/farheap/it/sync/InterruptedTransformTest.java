package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.it.support.Machines;
import io.farheap.it.system.ReplicaCopy;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.spi.ReplicaSinkProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code farheap transform} ended at steps drawn from a seed ({@code farheap.transform.seed}), as
 * often as {@code farheap.transform.interruptions} says, and run again. In between the old poolset
 * opens, or the new one does, or the same command ends right; what is committed in between by
 * either is never lost.
 */
@Tag("deep")
@Timeout(1200)
class InterruptedTransformTest {
    private static final long SEED = Long.getLong("farheap.transform.seed", 20261122);
    private static final int INTERRUPTIONS =
            Integer.getInteger("farheap.transform.interruptions", 3);
    private static final int AS_KILLED = 137;
    private static final int NOTES = 20;

    /** From what, to what. */
    private static final List<List<String>> CHANGES =
            List.of(
                    List.of("8M @a\n", "8M @a\nREPLICA\n8M @b\n"),
                    List.of("8M @a\nREPLICA\n8M @b\n", "8M @a\n"),
                    List.of("8M @a\nREPLICA\n8M @b\n", "8M @a\nREPLICA\n8M @c\n"),
                    List.of("8M @a\n8M @b\n", "OPTION SINGLEHDR\n8M @b\n8M @a\n"),
                    List.of(
                            "8M @a\nREPLICA\n8M @b\nREPLICA\n8M @c\n",
                            "8M @c\nREPLICA\n8M @b\nREPLICA\n8M @a\n8M @d\n"));

    /** Where old files go and new ones take their places: few steps of many, and the worst. */
    private static final String SWITCH = "io/farheap/tools/transform/PoolsetSwitch";

    private static final int SWITCH_STEPS = 20;

    private final Random random = new Random(SEED);
    private final TreeMap<String, Integer> steps = new TreeMap<>();

    @TempDir private Path reports;
    private int killed;

    /** So many were committed. */
    private long committed;

    @Test
    void localReplicas() throws Exception {
        for (int i = 0; killed < INTERRUPTIONS; i++) {
            int kind = i % CHANGES.size();
            String what = "seed " + SEED + ", round " + i + ", kind " + kind;
            try (Machines machines = Machines.with()) {
                Path here = machines.here();
                Path from = set(machines, "from.set", CHANGES.get(kind).get(0));
                Path to = set(machines, "to.set", CHANGES.get(kind).get(1));
                committed = 0;
                add(machines, from, NOTES);
                for (boolean again = true; again; again = random.nextBoolean()) {
                    int exitCode = endAtAStep(machines, from, to, "" + kind);
                    assertThat(exitCode).as(what).isIn(0, AS_KILLED);
                    useWhatOpens(machines, from, to, what);
                }
                finish(machines, from, to, what);
                assertThat(notes(to, pool -> null)).as(what).isEqualTo(allNotes());
                try (Stream<Path> files = Files.list(here)) {
                    assertThat(files.map(file -> file.getFileName().toString()))
                            .as(what)
                            .noneMatch(name -> name.contains("transforming"));
                }
            }
        }
    }

    private static Path set(Machines machines, String name, String lines) {
        Path here = machines.here();
        return machines.write(here.resolve(name), "PMEMPOOLSET\n" + lines.replace("@", here + "/"));
    }

    private void add(Machines machines, Path set, int count) throws Exception {
        assertThat(machines.java(Notes.class, set.toString(), "" + count).start().waitFor())
                .isZero();
        committed += count;
    }

    /** Where the old or the new poolset opens, all is there; now and then a program goes on. */
    private void useWhatOpens(Machines machines, Path from, Path to, String what) throws Exception {
        int open = 0;
        for (Path set : List.of(from, to)) {
            List<Long> notes = notesOrNull(set);
            if (notes != null) {
                open++;
                assertThat(notes).as("%s, %s", set, what).isEqualTo(allNotes());
            }
        }
        assertThat(open == 1 || open == 0 && Files.exists(Path.of(to + ".transforming")))
                .as("%d poolsets open, %s", open, what)
                .isTrue();
        if (open == 1 && random.nextBoolean()) {
            add(machines, notesOrNull(from) == null ? to : from, 1);
        }
    }

    private static List<Long> notesOrNull(Path set) {
        try {
            return notes(set, pool -> null);
        } catch (FarheapException e) {
            return null;
        }
    }

    private static List<Long> notes(Path set, ReplicaSinkProvider replicas) {
        return Notes.in(set, replicas).reversed();
    }

    private List<Long> allNotes() {
        return LongStream.rangeClosed(1, committed).boxed().toList();
    }

    private static void finish(Machines machines, Path from, Path to, String what)
            throws Exception {
        Path said = Files.createTempFile(machines.here().getParent(), "said", "");
        int exitCode =
                machines.farheap("transform", "--yes", from.toString(), to.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start()
                        .waitFor();
        assertThat(exitCode).as("%s: %s", what, Files.readString(said)).isZero();
        Files.delete(said);
        assertThat(
                        machines.farheap("check", to.toString())
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start()
                                .waitFor())
                .as(what)
                .isZero();
    }

    /** A host is replaced by another one; the old one is there, or for good gone. */
    @Test
    void aReplacementHost() throws Exception {
        // After each kill the replica is somebody's until its lease ends: that takes its time.
        for (int i = 0; i < 2 || killed < INTERRUPTIONS / 2; i++) {
            boolean gone = i % 2 == 1;
            String what = "seed " + SEED + ", round " + i + (gone ? ", gone" : "");
            try (Machines machines = Machines.with("one", "two")) {
                patient(machines);
                Path from = set(machines, "from.set", "8M @a\nREPLICA one copy.set\n");
                Path to = set(machines, "to.set", "8M @a\nREPLICA two copy.set\n");
                committed = 0;
                add(machines, from, NOTES);
                if (gone) {
                    machines.takeDown("one");
                }
                for (boolean again = true; again; again = random.nextBoolean()) {
                    int exitCode = endAtAStep(machines, from, to, "remote " + gone);
                    assertThat(exitCode).as(what).isIn(0, AS_KILLED);
                    await(what).until(() -> !machines.isBusy("one") && !machines.isBusy("two"));
                    assertThat(notes(from, pool -> null)).as(what).isEqualTo(allNotes());
                    assertThat(gone || isWhole(machines, "one") || isWhole(machines, "two"))
                            .as("a copy elsewhere, " + what)
                            .isTrue();
                }
                finish(machines, from, to, what);
                await(what).until(() -> !machines.isBusy("one") && !machines.isBusy("two"));
                assertThat(Files.exists(machines.machine("one").resolve("copy.part0")))
                        .as(what)
                        .isEqualTo(gone);
                assertThat(
                                notes(
                                        to,
                                        pool ->
                                                RemoteReplication.attach(
                                                        pool,
                                                        AttachOptions.NONE,
                                                        machines.settings())))
                        .as(what)
                        .isEqualTo(allNotes());
            }
        }
    }

    private static boolean isWhole(Machines machines, String target) {
        Path part = machines.machine(target).resolve("copy.part0");
        return Files.exists(part)
                && Files.exists(Path.of(part + ".journal"))
                && ReplicaCopy.slotOf(part).state() == ReplicaState.INSYNC;
    }

    private static void patient(Machines machines) throws IOException {
        machines.set("FARHEAP_ATTACH_TIMEOUT", "200s");
        machines.set("FARHEAP_COMMIT_TIMEOUT", "60s");
        machines.set("FARHEAP_HEARTBEAT", "2s");
        for (String target : List.of("one", "two")) {
            machines.poolSet(target, "copy.set", "8M");
            machines.configure(target, "journal-size = 1M", "heartbeat-bound = 100000");
        }
    }

    /**
     * Runs the command until a step that is drawn.
     *
     * @param kind of change: the same kind has about as many steps, which one that ends tells
     */
    private int endAtAStep(Machines machines, Path from, Path to, String kind) throws Exception {
        Path report = reports.resolve("steps");
        Files.deleteIfExists(report);
        if (!kind.startsWith("remote") && random.nextBoolean()) {
            return endAtAStepFrom(machines, SWITCH, SWITCH_STEPS, report, from, to);
        }
        int known = steps.getOrDefault(kind, kind.startsWith("remote") ? 400 : 90);
        int exitCode = endAtAStepFrom(machines, null, known, report, from, to);
        if (exitCode == 0 && !steps.containsKey(kind)) {
            steps.put(kind, Math.max(1, Integer.parseInt(Files.readString(report))));
            System.out.println("steps of a transform of kind " + kind + ": " + steps.get(kind));
        }
        return exitCode;
    }

    /**
     * @param work class whose beginning is before the first step; null: the whole command's
     * @param last the last one that may be drawn
     */
    private int endAtAStepFrom(
            Machines machines, String work, int last, Path report, Path from, Path to)
            throws Exception {
        List<String> words = new ArrayList<>(List.of(report.toString(), "transform", "--yes"));
        words.addAll(List.of(from.toString(), to.toString()));
        ProcessBuilder command = machines.java(SteppedCommand.class, words.toArray(String[]::new));
        command.command().add(1, "-Dfarheap.last.step=" + (1 + random.nextInt(last)));
        if (work != null) {
            command.command().add(1, "-Dfarheap.steps.from=" + work);
        }
        int exitCode = command.redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        killed += exitCode == AS_KILLED ? 1 : 0;
        return exitCode;
    }
}
