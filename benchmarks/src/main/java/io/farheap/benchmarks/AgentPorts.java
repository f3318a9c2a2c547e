package io.farheap.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where the agents of a site say on which ports they echo and take blocks, each in a file of its
 * own: one that is slow to show itself has others beside it, and all but one of them end.
 *
 * @param echo port of its {@link EchoServer}
 * @param blocks port of its {@link BlockServer}
 */
record AgentPorts(int echo, int blocks) {
    private static final String SUFFIX = ".ports";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long PAUSE_MILLIS = 20;

    /** Tells those of a process. */
    void tell(Path directory, long pid) throws IOException {
        Path file = directory.resolve(pid + SUFFIX);
        Path complete = Files.writeString(directory.resolve(pid + ".tmp"), echo + " " + blocks);
        Path unused = Files.move(complete, file, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Those of the agent that is left, once the others have ended. */
    static AgentPorts ofTheLastAgent(Path directory) throws IOException, InterruptedException {
        return ofTheLastAgent(directory, PATIENCE);
    }

    /** The same. */
    static AgentPorts ofTheLastAgent(Path directory, Duration patience)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        List<Path> alive = ofLiving(directory);
        while (alive.size() != 1) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("one agent was expected, and these run: " + alive);
            }
            Thread.sleep(PAUSE_MILLIS);
            alive = ofLiving(directory);
        }
        String[] ports = Files.readString(alive.get(0)).split(" ");
        return new AgentPorts(Integer.parseInt(ports[0]), Integer.parseInt(ports[1]));
    }

    private static List<Path> ofLiving(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(AgentPorts::isOfLiving).toList();
        }
    }

    private static boolean isOfLiving(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(SUFFIX)
                && ProcessHandle.of(
                                Long.parseLong(name.substring(0, name.length() - SUFFIX.length())))
                        .map(ProcessHandle::isAlive)
                        .orElse(false);
    }
}
