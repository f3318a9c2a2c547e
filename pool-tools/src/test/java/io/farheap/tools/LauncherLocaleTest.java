package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both launchers, with a Java that only tells which locale it got: in one without letters but
 * ASCII's Java could name no file with others.
 */
class LauncherLocaleTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String JAVA = "#!/bin/sh\necho \"${LC_ALL:-none}\"\n";

    @TempDir private Path home;

    @BeforeEach
    void aFalseJava() throws IOException {
        program("runtime/bin/java", JAVA);
        program("jdk/bin/java", JAVA);
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"25.0.3\"\n");
        program("bin/farheap", Files.readString(ROOT.resolve("pool-tools/src/dist/farheap.in")));
        program("farheap", Files.readString(ROOT.resolve("farheap")));
        Path target = Files.createDirectories(home.resolve("pool-tools/target"));
        Files.createFile(target.resolve("farheap.built"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"farheap", "bin/farheap"})
    void namesOfFilesNeedUtf8(String launcher) throws Exception {
        assertThat(localeOf(launcher, Map.of())).isEqualTo("C.UTF-8");
        assertThat(localeOf(launcher, Map.of("LANG", "C"))).isEqualTo("C.UTF-8");
        assertThat(localeOf(launcher, Map.of("LC_ALL", "POSIX"))).isEqualTo("C.UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"farheap", "bin/farheap"})
    void aLocaleWithMoreLettersStays(String launcher) throws Exception {
        assertThat(localeOf(launcher, Map.of("LANG", "C.UTF-8"))).isEqualTo("none");
        assertThat(localeOf(launcher, Map.of("LC_CTYPE", "C.UTF-8"))).isEqualTo("none");
        assertThat(localeOf(launcher, Map.of("LC_ALL", "C.UTF-8"))).isEqualTo("C.UTF-8");
    }

    /** As a rule the locale's command is there, and knows which of them are installed. */
    @Test
    void theVariablesTellWhereNothingElseDoes() throws Exception {
        Path tools = Files.createDirectories(home.resolve("tools"));
        Files.copy(
                Path.of("/usr/bin/readlink"),
                tools.resolve("readlink"),
                StandardCopyOption.COPY_ATTRIBUTES);
        Map<String, String> noLocale = Map.of("PATH", tools.toString());
        assertThat(localeOf("bin/farheap", noLocale)).isEqualTo("C.UTF-8");
        assertThat(localeOf("bin/farheap", Map.of("PATH", tools.toString(), "LANG", "de_DE.UTF-8")))
                .isEqualTo("none");
    }

    private void program(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String localeOf(String launcher, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(home.resolve(launcher).toString(), "--help");
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("JAVA25_HOME", home.resolve("jdk").toString());
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip();
    }
}
