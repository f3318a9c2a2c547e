package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import io.farheap.it.support.Ran;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * A pool to be on the machine "here" with a replica on "there", and the command, run as a user runs
 * it: what it must not do is compared by the content of every file of both machines.
 */
final class Site implements AutoCloseable {
    private final Machines machines;
    private final Path set;

    private Site(Machines machines, Path set) {
        this.machines = machines;
        this.set = set;
    }

    static Site make() {
        Machines machines = Machines.with("there");
        machines.poolSet("there", "copy.set", "8M");
        return new Site(machines, machines.poolSet("here", "pool.set", "8M", "there copy.set"));
    }

    Machines machines() {
        return machines;
    }

    Path set() {
        return set;
    }

    Path here(String name) {
        return machines.here().resolve(name);
    }

    Path there(String name) {
        return machines.machine("there").resolve(name);
    }

    /** One run of the command. */
    record Run(int exitCode, String out, String err) {

        void succeeded() {
            assertThat(err).isEmpty();
            assertThat(exitCode).isZero();
        }

        /** What the log says of a remote shell's output, besides. */
        private static final String STRAY = "WARN StrayOutput - ";

        /** It ended with this code and one sentence that says all of this; no stack trace. */
        void failedWith(int code, String... parts) {
            assertThat(err).contains(parts).doesNotContain("Exception", "\tat ", ".;");
            assertThat(err.strip().lines().filter(line -> !line.startsWith(STRAY)))
                    .singleElement()
                    .asString()
                    .startsWith("farheap: ");
            assertThat(exitCode).isEqualTo(code);
        }
    }

    Run farheap(String... arguments) {
        return run(machines.farheap(arguments));
    }

    /** The command after words that set its surroundings up, such as those of a shell. */
    Run within(String[] words, String... arguments) {
        ProcessBuilder command = machines.farheap(arguments);
        command.command().addAll(0, List.of(words));
        return run(command);
    }

    private static Run run(ProcessBuilder command) {
        Ran ran = Ran.of(command.redirectInput(new File("/dev/null")));
        return new Run(ran.exitCode(), ran.out(), ran.err());
    }

    /**
     * Every file of both machines with a checksum of its content, but for logs, and the lock files
     * of replicas, which say who was there last.
     */
    Map<String, Long> files() {
        Map<String, Long> found = new TreeMap<>();
        Path root = machines.here().getParent();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = root.relativize(file).toString();
                if (!name.endsWith(".log")) {
                    boolean inPassing = name.endsWith(".lock") || name.endsWith(".readers");
                    found.put(name, inPassing ? 0 : sumOf(file));
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All files of both machines. */
    Map<Path, byte[]> contents() {
        Map<Path, byte[]> contents = new TreeMap<>();
        for (String name : files().keySet()) {
            Path file = machines.here().resolveSibling(name);
            try {
                contents.put(file, Files.readAllBytes(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return contents;
    }

    /** Makes both machines' files those again, and nothing else. */
    void putBack(Map<Path, byte[]> contents) {
        try (Stream<Path> all = Files.walk(machines.here().getParent(), 2)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (!contents.containsKey(file)) {
                    Files.delete(file);
                }
            }
            for (Map.Entry<Path, byte[]> file : contents.entrySet()) {
                Files.write(file.getKey(), file.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long sumOf(Path file) throws IOException {
        CRC32C sum = new CRC32C();
        sum.update(Files.readAllBytes(file));
        return sum.getValue();
    }

    @Override
    public void close() {
        machines.close();
    }
}
