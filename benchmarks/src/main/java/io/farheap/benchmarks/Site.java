package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Where everything lies that a run needs, in one directory: pools, the target's directory, the
 * stand-in for ssh. Processes of a run get it by their environment.
 */
final class Site {
    private static final String SITE = "FARHEAP_BENCHMARK_SITE";
    static final String LAYOUT = "benchmark";
    private static final long POOL_BYTES = 128L << 20;
    private static final List<String> LOCAL = List.of("local", "native");

    private final Path directory;

    private Site(Path directory) {
        this.directory = directory;
    }

    /** Makes one in memory where the system has a place for that, else among temporary files. */
    static Site create() throws IOException {
        Path memory = Path.of("/dev/shm");
        Path parent =
                Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        Site site = new Site(Files.createTempDirectory(parent, "farheap-benchmark"));
        Files.createDirectory(site.target());
        Files.writeString(
                site.replicatedSet(),
                """
                PMEMPOOLSET
                64M %s/replicated.part
                REPLICA localhost replicated.set
                """
                        .formatted(site.directory));
        for (String name : LOCAL) {
            Files.writeString(
                    site.mirrored(name),
                    """
                    PMEMPOOLSET
                    %1$d %2$s.part
                    REPLICA
                    %1$d %2$s.copy
                    """
                            .formatted(POOL_BYTES, site.directory.resolve(name)));
        }
        Files.writeString(
                site.target().resolve("replicated.set"),
                "PMEMPOOLSET\n64M " + site.target() + "/replicated.copy\n");
        String part = "PMEMPOOLSET\n128M " + site.directory + "/alone.part\n";
        Files.writeString(site.directory.resolve("before.set"), part);
        Files.writeString(
                site.directory.resolve("alone.set"), part + "REPLICA localhost alone.set\n");
        Path unused = LocalMachine.installShell(site.directory);
        return site;
    }

    /** The one that the parent process made. */
    static Site ofParent() {
        return new Site(Path.of(System.getenv(SITE)));
    }

    boolean hasRoom(long bytes) throws IOException {
        return Files.getFileStore(directory).getUsableSpace() >= bytes;
    }

    /** What a child process has to know, and how it waits for the other side. */
    void tell(Map<String, String> environment, WaitStrategy waiting) {
        String spin = String.valueOf(waiting.spinNanos() / 1000);
        String yield = String.valueOf(waiting.yieldNanos() / 1000);
        environment.put(SITE, directory.toString());
        environment.put("FARHEAP_SPIN", spin + "us");
        environment.put("FARHEAP_YIELD", yield + "us");
        environment.put("RPMEM_SSH", directory.resolve("local-ssh").toString());
        environment.put(
                "RPMEM_CMD",
                LocalMachine.quoted(
                        LocalMachine.java(
                                EchoingAgent.class.getName(),
                                "--poolset-dir",
                                target().toString(),
                                "--log-file",
                                target().resolve("agent.log").toString(),
                                "--spin",
                                spin,
                                "--yield",
                                yield)));
        // On a file system in memory nothing else makes libpmem treat the mapping as what it is.
        environment.put("PMEM_IS_PMEM_FORCE", "1");
        // Who measures a disk journal asks for it: no row is one because of where files lie.
        environment.put("FARHEAP_DURABILITY", "pages");
    }

    /** The same where no target can be reached, and a pool does without. */
    void tellAlone(Map<String, String> environment, WaitStrategy waiting) {
        tell(environment, waiting);
        environment.put("RPMEM_SSH", "false");
        environment.put("FARHEAP_POLICY", "degrade");
    }

    /** How this process waits, by its environment. */
    static WaitStrategy waiting() {
        return ReplicationSettings.fromEnvironment().waiting();
    }

    /** A pool that has no replica yet. */
    ObjectPool openBeforeLoss() {
        return ObjectPool.openOrCreate(directory.resolve("before.set"), LAYOUT);
    }

    /** The same pool with a replica that can't be reached. */
    ObjectPool openAlone() {
        return ObjectPool.open(directory.resolve("alone.set"), LAYOUT);
    }

    ObjectPool openReplicated() {
        return ObjectPool.openOrCreate(replicatedSet(), LAYOUT);
    }

    /**
     * A pool on this machine only.
     *
     * @param mirrored whether it has a replica in another file
     */
    ObjectPool openLocal(boolean mirrored) {
        return mirrored
                ? ObjectPool.openOrCreate(mirrored("local"), LAYOUT)
                : ObjectPool.at(directory.resolve("local.pool"))
                        .layout(LAYOUT)
                        .size(POOL_BYTES)
                        .openOrCreate();
    }

    /** The same for C programs: a file or a poolset file, which they open or create. */
    Path nativePool(boolean mirrored) {
        return mirrored ? mirrored("native") : directory.resolve("native.pool");
    }

    private Path mirrored(String name) {
        return directory.resolve(name + ".set");
    }

    Path directory() {
        return directory;
    }

    Path target() {
        return directory.resolve("target");
    }

    Path replicatedSet() {
        return directory.resolve("replicated.set");
    }

    void delete() throws IOException {
        LocalMachine.delete(directory);
    }
}
