package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher of a checkout, with the flags that it gives to Java: its processes pass them on to
 * others, by words that have a meaning to a shell and to {@code RPMEM_CMD}. It runs in a directory
 * that looks like a checkout that is built, with the classes under test: nothing is built.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LauncherTest {
    @TempDir private Path checkout;
    private Path launcher;

    @BeforeEach
    void aCheckoutThatIsBuilt() throws IOException {
        Path target = Files.createDirectories(checkout.resolve("pool-tools/target"));
        Path classes = Files.createDirectory(target.resolve("classes"));
        Files.copy(Path.of("target/classes/jvm.flags"), classes.resolve("jvm.flags"));
        jarThatNamesTheClassesUnderTest(target.resolve("pool-tools.jar"));
        Files.createFile(target.resolve("farheap.built"));
        launcher = checkout.resolve("farheap");
        Files.copy(Path.of("../farheap"), launcher);
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    private static void jarThatNamesTheClassesUnderTest(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    }

    @Test
    @Tag("deep")
    void theDemoLosesAMachineAndNothingElse() throws Exception {
        Path work = Files.createDirectory(checkout.resolve("work"));

        String said = farheap("demo", "--seed", "7", "--dir", work.toString());

        assertThat(said).contains("Every acknowledged transaction is there, and none in part.");
        assertThat(work).isEmptyDirectory();
    }

    @Test
    void aPoolIsMadeAndChecked() throws Exception {
        String pool = checkout.resolve("a pool").toString();

        assertThat(farheap("create", "-s", "8M", pool)).isEmpty();
        assertThat(farheap("check", pool)).isEqualTo(pool + ": consistent\n");
    }

    /** What it says; it succeeds. */
    private String farheap(String... words) throws IOException, InterruptedException {
        Path said = checkout.resolve("said");
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(words));
        ProcessBuilder started = new ProcessBuilder(command);
        started.environment().put("JAVA25_HOME", System.getProperty("java.home"));
        Process process = started.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            Process unused = process.destroyForcibly();
        }
        String text = Files.readString(said, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }
}
