package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.zookeeper.ZooKeeperServers;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher of a checkout, whose command has no more than etcd by itself: the directory beside
 * it brings ZooKeeper.
 */
@Tag("deep")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreExtensionTest {
    /** What the archive's Java runtime is made of. */
    private static final String MODULES =
            "java.base,java.logging,java.management,java.naming,java.net.http,java.xml,"
                    + "jdk.httpserver,jdk.jfr,jdk.unsupported";

    @TempDir private Path checkout;
    private ZooKeeperServers server;

    @BeforeEach
    void aCheckoutThatIsBuilt() throws Exception {
        Path target = Files.createDirectories(checkout.resolve("pool-tools/target"));
        Path classes = Files.createDirectory(target.resolve("classes"));
        Files.copy(Path.of("../pool-tools/target/classes/jvm.flags"), classes.resolve("jvm.flags"));
        jarThatNames(target.resolve("pool-tools.jar"), false);
        Files.createFile(target.resolve("farheap.built"));
        Path launcher = Files.copy(Path.of("../farheap"), checkout.resolve("farheap"));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        server =
                ZooKeeperServers.start(
                        Files.createDirectory(checkout.resolve("servers")), 1, List.of());
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (server != null) {
            server.close();
        }
    }

    private static void jarThatNames(Path jar, boolean zooKeeper) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .filter(entry -> isOfZooKeeper(entry) == zooKeeper)
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    }

    /** The tests' own classes, too, which name it. */
    private static boolean isOfZooKeeper(String entry) {
        return entry.contains("zookeeper")
                || entry.contains("netty")
                || entry.contains("integration-tests");
    }

    @Test
    void zooKeeperIsAStoreWhereItsJarsAreInTheDirectory() throws Exception {
        assertThat(farheap("pools", server.address()))
                .startsWith("farheap: \"zookeeper:127.0.0.1:")
                .contains("the artifact io.farheap:farheap-zookeeper, which is not on the class");

        jarThatNames(Files.createDirectory(checkout.resolve("ext")).resolve("zookeeper.jar"), true);

        assertThat(farheap("pools", server.address()))
                .isEqualTo("the store has no record of a pool\n");
        assertThat(farheap("ha", "status", "--store=" + server.address(), "--pool=bank"))
                .contains("farheap: There is no record farheap/main/pools/bank/record")
                .doesNotContain("WARN", "ERROR", "INFO");
    }

    /** All that it says, with what it has logged. */
    private String farheap(String... words) throws IOException, InterruptedException {
        ProcessBuilder started =
                new ProcessBuilder(
                        Stream.concat(
                                        Stream.of(checkout.resolve("farheap").toString()),
                                        Stream.of(words))
                                .toList());
        started.environment().put("JAVA25_HOME", System.getProperty("java.home"));
        started.environment().put("JAVA_TOOL_OPTIONS", "--limit-modules=" + MODULES);
        Path said = checkout.resolve("said");
        int unused =
                started.redirectErrorStream(true).redirectOutput(said.toFile()).start().waitFor();
        return Files.readAllLines(said).stream()
                .filter(line -> !line.startsWith("Picked up JAVA_TOOL_OPTIONS"))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }
}
