package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Agreement;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Ran;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.SlotLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** A pool on one machine with replicas on others, and farheap commands run on it. */
final class SyncSite implements AutoCloseable {
    private final Machines machines;
    private final String[] targets;
    private final Path set;
    private final List<Path> parts;

    /**
     * @param partMiB size of each of the two parts here
     * @param targets machines with one copy each
     */
    SyncSite(int partMiB, String... targets) {
        this.machines = Machines.with(targets);
        this.targets = targets;
        this.set = machines.here().resolve("pool.set");
        this.parts = List.of(machines.here().resolve("a"), machines.here().resolve("b"));
        StringBuilder text = new StringBuilder("PMEMPOOLSET\n");
        parts.forEach(part -> text.append(partMiB).append("M ").append(part).append('\n'));
        for (String target : targets) {
            text.append("REPLICA ").append(target).append(" copy.set\n");
            machines.poolSet(target, "copy.set", 2 * partMiB + "M");
        }
        machines.write(set, text.toString());
    }

    /** However slow the machine is, nobody is taken for gone. */
    SyncSite patient() {
        machines.set("FARHEAP_ATTACH_TIMEOUT", "200s");
        machines.set("FARHEAP_COMMIT_TIMEOUT", "60s");
        machines.set("FARHEAP_HEARTBEAT", "10s");
        for (String target : targets) {
            machines.configure(target, "journal-size = 1M", "heartbeat-bound = 100000");
        }
        return this;
    }

    /**
     * A command that has ended.
     *
     * @param exitCode its exit code
     * @param out the lines of its standard output
     * @param err the lines of its standard error
     */
    record Run(int exitCode, List<String> out, List<String> err) {
        Run succeeded() {
            assertThat(err).isEmpty();
            assertThat(exitCode).isZero();
            return this;
        }

        /** It ended with this code and one sentence. */
        void failedWith(int code, String... words) {
            assertThat(err).as("exit code %d, output %s", exitCode, out).hasSize(1);
            assertThat(err.get(0)).startsWith("farheap: ").contains(words);
            assertThat(exitCode).isEqualTo(code);
        }
    }

    Machines machines() {
        return machines;
    }

    Path set() {
        return set;
    }

    Path part(int index) {
        return parts.get(index);
    }

    Path remote(String target) {
        return machines.machine(target).resolve("copy.part0");
    }

    void losePool() throws IOException {
        for (Path part : parts) {
            Files.delete(part);
        }
    }

    /** Flips a bit. */
    static void damage(Path file, long offset) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) offset] ^= 1;
        Files.write(file, bytes);
    }

    // ---- programs ----

    /** Has a program add notes and end; what it says, which are the numbers of those it has. */
    List<String> addNotes(int count) throws Exception {
        return run(machines.java(Notes.class, set.toString(), Integer.toString(count)))
                .succeeded()
                .out();
    }

    /** A program that has added notes and has the pool open. */
    Process holdWith(int count) throws IOException {
        Process program =
                machines.java(Notes.class, set.toString(), Integer.toString(count), "hold").start();
        for (int i = 0; i < count; i++) {
            assertThat(program.inputReader().readLine()).isNotNull();
        }
        return program;
    }

    ProcessBuilder syncCommand(String... options) {
        List<String> arguments = new ArrayList<>(List.of("sync"));
        arguments.addAll(Arrays.asList(options));
        arguments.add(set.toString());
        return machines.farheap(arguments.toArray(String[]::new));
    }

    /** A command on the poolset file, with its errors beside its output. */
    ProcessBuilder farheapCommand(String name) {
        return machines.farheap(name, set.toString()).redirectErrorStream(true);
    }

    /** Any farheap command, by somebody who agrees to what it overwrites. */
    Run farheap(List<String> arguments) throws Exception {
        return agreeing(words -> run(machines.farheap(words)), arguments.toArray(String[]::new));
    }

    /** The same of sync. */
    Run sync(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("sync"));
        words.addAll(Arrays.asList(options));
        words.add(set.toString());
        return farheap(words);
    }

    /** How the copies are, as the command says on the pool's machine. */
    Run status(String... options) throws Exception {
        return command("status", options);
    }

    /** How the copies compare. */
    Run verify(String... options) throws Exception {
        return command("verify", options);
    }

    private Run command(String name, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(name));
        arguments.addAll(Arrays.asList(options));
        arguments.add(set.toString());
        return run(machines.farheap(arguments.toArray(String[]::new)));
    }

    /** The same on a target, of the copy there. */
    Run statusOn(String target) throws Exception {
        String copy = machines.machine(target).resolve("copy.set").toString();
        return run(machines.farheap("status", copy));
    }

    /** The words of a command line, run somewhere. */
    interface Shell {
        Run type(String... words) throws Exception;
    }

    /**
     * As somebody who agrees: where the command refuses to remove or overwrite copies, types what
     * its message has for that.
     */
    static Run agreeing(Shell shell, String... words) throws Exception {
        Run refused = shell.type(words);
        String[] agreement = Agreement.words(String.join("\n", refused.err()));
        return agreement.length == 0 ? refused : shell.type(agreement);
    }

    static Run run(ProcessBuilder command) {
        Ran ran = Ran.of(command);
        return new Run(ran.exitCode(), ran.out().lines().toList(), ran.err().lines().toList());
    }

    // ---- what there is ----

    /** The pool opens as ever, replicas attached, and has the notes 1 to {@code count}. */
    void assertHasNotes(int count) {
        List<Long> numbers =
                Notes.in(
                        set,
                        pool ->
                                RemoteReplication.attach(
                                        pool, AttachOptions.NONE, machines.settings()));
        assertThat(numbers.reversed())
                .containsExactlyElementsOf(LongStream.rangeClosed(1, count).boxed().toList());
    }

    /** Nothing unfinished lies about, and every replica is a member of one epoch. */
    void assertInOrder() throws IOException {
        try (Stream<Path> files = Files.list(machines.here())) {
            // What a killed process said of itself stays until the pool is opened, and means
            // nothing.
            assertThat(files.filter(file -> !file.toString().endsWith(".status")))
                    .containsExactlyInAnyOrder(set, parts.get(0), parts.get(1));
        }
        assertOfOneEpoch();
    }

    /** Every replica is a member of one epoch. */
    void assertOfOneEpoch() {
        assertThat(
                        Stream.of(targets)
                                .map(target -> slot(target).state() + " " + slot(target).cur()))
                .allMatch(state -> state.equals("INSYNC " + slot(targets[0]).cur()));
    }

    /** Has it looked at without its remote replicas, in a copy that goes away again. */
    List<Long> notesHere() throws IOException {
        Path copy = Files.createTempDirectory(machines.here().getParent(), "look");
        List<Path> files = new ArrayList<>();
        StringBuilder alone = new StringBuilder("PMEMPOOLSET\n");
        for (Path part : parts) {
            files.add(Files.copy(part, copy.resolve(part.getFileName())));
            alone.append(Files.size(part)).append("B ").append(files.getLast()).append('\n');
        }
        files.add(Files.writeString(copy.resolve("alone.set"), alone));
        List<Long> notes = Notes.in(files.getLast(), pool -> null);
        files.add(copy);
        for (Path file : files) {
            Files.delete(file);
        }
        return notes;
    }

    /** What is durable of a replica; whoever has it may write to it meanwhile. */
    ReplicaSlot slot(String target) {
        Path journal = Path.of(remote(target) + ".journal");
        try (Arena arena = Arena.ofShared();
                FileChannel file = FileChannel.open(journal, StandardOpenOption.READ)) {
            MemorySegment pages = file.map(MapMode.READ_ONLY, 0, JournalLayout.RING, arena);
            return SlotLayout.read(pages, journal.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A checksum of every file of every machine but the agents' logs, and what says who may read a
     * replica now.
     */
    Map<Path, Long> sums() throws IOException {
        Map<Path, Long> sums = new TreeMap<>();
        try (Stream<Path> files = Files.walk(machines.here().getParent())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("agent.log") && !file.toString().endsWith(".readers")) {
                    CRC32C crc = new CRC32C();
                    crc.update(Files.readAllBytes(file));
                    sums.put(file, crc.getValue());
                }
            }
        }
        return sums;
    }

    @Override
    public void close() {
        machines.close();
    }
}
