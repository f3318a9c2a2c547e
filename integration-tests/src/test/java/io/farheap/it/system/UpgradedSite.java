package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.it.support.Build;
import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program and a replica elsewhere, each of which is replaced by another build: the agent by what
 * is started from then on where the old one has ended, the program by an end and a start.
 */
final class UpgradedSite implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int COMMITS = 20;
    private static final Pattern SPOKEN = Pattern.compile("in version (\\d+) of the protocol");

    private final long seed = new Random().nextLong() >>> 16;
    private final Machines machines = Machines.with("there");
    private final Path set;
    private final Path part = machines.machine("there").resolve("copy.part0");
    private Build programs;
    private Load load;
    private long[] returned;

    UpgradedSite(Build program, Build agent) throws IOException {
        machines.poolSet("there", "copy.set", "64M");
        set = machines.poolSet("here", "pool.set", "64M", "there copy.set");
        machines.set("FARHEAP_COMMIT_TIMEOUT", "60s");
        machines.set("RPMEM_CMD", "exec ./farheap-agent");
        this.programs = program;
        install(agent);
    }

    private void install(Build agent) throws IOException {
        Path command = machines.machine("there").resolve("farheap-agent");
        Path written = command.resolveSibling("farheap-agent.new");
        machines.run(agent);
        Files.writeString(written, "#!/bin/sh\nexec " + machines.agentCommand() + "\n");
        Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rwx------"));
        Files.move(written, command, StandardCopyOption.REPLACE_EXISTING);
    }

    private Load begun() {
        machines.run(programs);
        return Load.start(machines, set, seed, THREADS);
    }

    /** The program opens the pool, with all that returned before, and commits from then on. */
    void startProgram() {
        load = begun();
        load.awaitOpenWith(returned);
        load.go();
        load.awaitCommits(COMMITS);
    }

    /** Why the program can't open the pool. */
    String startRefusedProgram() {
        Load refused = begun();
        String why = refused.awaitFailure();
        refused.awaitEnd();
        return why;
    }

    void upgradeProgram(Build build) {
        endProgram();
        programs = build;
        startProgram();
    }

    /** Commits go on: no thread is told of it. */
    void upgradeAgent(Build build) throws IOException {
        install(build);
        ProcessHandle old = machines.agentOf(part);
        Machines.signal("KILL", old);
        load.awaitCommits(COMMITS);
        assertThat(machines.agentOf(part).pid()).isNotEqualTo(old.pid());
        assertThat(load.complaints()).isEmpty();
    }

    void useProgram(Build build) {
        programs = build;
    }

    void useAgent(Build build) throws IOException {
        install(build);
    }

    void endProgram() {
        load.close();
        returned = load.acknowledged();
    }

    /** The version of the agent's last session, as it logs it. */
    int spoken() throws IOException {
        int last = 0;
        for (String line : agentsLog()) {
            Matcher found = SPOKEN.matcher(line);
            last = found.find() ? Integer.parseInt(found.group(1)) : last;
        }
        return last;
    }

    List<String> agentsLog() throws IOException {
        return Files.readAllLines(machines.machine("there").resolve("agent.log"));
    }

    /** What a command of a build says of the pool. */
    String farheap(Build build, String command) throws IOException, InterruptedException {
        machines.run(build);
        Process process =
                machines.farheap(command, set.toString()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean unused = process.waitFor() == 0;
        return said;
    }

    /** After the program's end: both copies are equal, and have what returned. */
    void assertEqualAndWhole() {
        PoolState here = PoolState.ofLocalCopies(set).get(0);
        PoolState there = PoolState.ofFile(part);
        assertThat(there.withoutBlocks()).isEqualTo(here.withoutBlocks());
        assertThat(there.inconsistencies()).isEmpty();
        Path alone =
                machines.write(
                        machines.here().resolve("alone.set"),
                        "PMEMPOOLSET\n64M " + machines.here().resolve("pool.part0") + "\n");
        try (ObjectPool pool = ObjectPool.open(alone, Ledgers.LAYOUT)) {
            assertThat(Ledgers.assertWhole(pool, seed, THREADS)).isEqualTo(returned);
        }
    }

    @Override
    public void close() {
        machines.close();
    }
}
