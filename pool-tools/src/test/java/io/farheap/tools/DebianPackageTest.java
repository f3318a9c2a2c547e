package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Debian package that the profile {@code dist} has made: dpkg installs it in a root of its own,
 * which has nothing else, and removes it again. Needs dpkg, and root for the files' owner.
 */
@Tag("dist")
class DebianPackageTest {
    @TempDir private Path root;

    @Test
    void itIsInstalledRunsAndLeavesNothing() throws Exception {
        dpkg("--install", System.getProperty("farheap.deb"));

        Path command = root.resolve("usr/bin/farheap");
        assertThat(run(Map.of(), command.toString(), "--version")).contains("farheap");
        Path pool = Files.createDirectory(root.resolve("srv")).resolve("a.pool");
        run(Map.of(), command.toString(), "create", pool.toString());
        assertThat(run(Map.of(), command.toString(), "info", pool.toString())).contains("PMEMOBJ");
        Files.delete(pool);
        Files.delete(pool.getParent());

        assertThat(root.resolve("usr/share/man/man1/farheap-sync.1")).isRegularFile();
        assertThat(root.resolve("usr/share/bash-completion/completions/farheap")).isRegularFile();
        assertThat(root.resolve("usr/share/zsh/vendor-completions/_farheap")).isRegularFile();
        Path documents = root.resolve("usr/share/doc/farheap");
        assertThat(documents.resolve("copyright")).isRegularFile();
        assertThat(documents.resolve("docs").resolve("runbook.md")).isRegularFile();

        assertThat(root.resolve("usr/lib/systemd/system/farheap-agent.service"))
                .content()
                .contains("ExecStart=/usr/bin/farheap agent --listen ");
        assertThat(root.resolve("usr/lib/sysusers.d/farheap.conf")).content().contains("u farheap");
        assertThat(root.resolve("etc/logrotate.d/farheap-agent"))
                .hasSameTextualContentAs(
                        documents.resolve("config-samples/farheap-agent.logrotate"));
        assertThat(root.resolve("var/lib/dpkg/info/farheap.conffiles"))
                .content()
                .contains("/etc/logrotate.d/farheap-agent"); // what an operator changes stays

        dpkg("--purge", "farheap");
        assertThat(outsideOfDpkg()).isEmpty();
    }

    /** Else each command would start as slowly as any Java program, and nobody would be told. */
    @Test
    void itsClassesComeFromTheCache() throws Exception {
        dpkg("--install", System.getProperty("farheap.deb"));
        Path log = root.resolve("loaded");
        run(
                Map.of("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + log),
                root.resolve("usr/bin/farheap").toString(),
                "--version");
        assertThat(Files.readAllLines(log))
                .anyMatch(line -> line.contains(" io.farheap.tools.Main source: shared"))
                .noneMatch(line -> line.contains(" source: file:"));
    }

    private void dpkg(String... words) throws Exception {
        Path database = Files.createDirectories(root.resolve("var/lib/dpkg"));
        for (String directory : List.of("info", "updates", "triggers")) {
            Files.createDirectories(database.resolve(directory));
        }
        for (String file : List.of("status", "available")) {
            if (!Files.exists(database.resolve(file))) {
                Files.createFile(database.resolve(file));
            }
        }
        List<String> command = new ArrayList<>(List.of("dpkg", "--root=" + root));
        // The root has no C library of its own.
        command.addAll(List.of("--force-depends", "--log=/dev/null"));
        command.addAll(List.of(words));
        run(Map.of(), command.toArray(String[]::new));
    }

    private static String run(Map<String, String> more, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(more);
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(List.of(command) + "\n" + said).isZero();
        return said;
    }

    private List<Path> outsideOfDpkg() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .map(root::relativize)
                    .filter(file -> !file.startsWith("var/lib/dpkg"))
                    .toList();
        }
    }
}
