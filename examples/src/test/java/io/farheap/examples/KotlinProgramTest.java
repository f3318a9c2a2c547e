package io.farheap.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in Kotlin, compiled and run by its own script, with the compiler that Maven has. */
@Tag("deep")
class KotlinProgramTest {
    private static final Path JAR = Path.of("target", "reading-list.jar");
    private static final String JAVA = System.getProperty("java.home");

    /** It needs no runtime beside the class path, on which that is here. */
    private static final String KOTLINC =
            """
            #!/bin/sh
            for word do
              shift
              [ "$word" = -include-runtime ] || set -- "$@" "$word"
            done
            exec %s/bin/java --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \\
              -cp '%s' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect "$@"
            """;

    @TempDir Path directory;

    @BeforeEach
    void compileAnew() throws IOException {
        Files.deleteIfExists(JAR);
        Files.writeString(compiler(), String.format(KOTLINC, JAVA, classPath()));
        Files.setPosixFilePermissions(compiler(), PosixFilePermissions.fromString("rwx------"));
    }

    private Path compiler() {
        return directory.resolve("kotlinc");
    }

    /** Without the directories that no module has: the script makes a warning an error. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Files.exists(Path.of(entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void whatOneRunDoesTheNextOneFinds() throws Exception {
        assertThat(run(0, "add", "Emma", "474")).isEmpty();
        assertThat(run(0, "add", "Middlemarch", "880")).isEmpty();
        assertThat(run(0, "note", "Middlemarch", "begins slowly")).isEmpty();
        assertThat(run(0, "finish", "Emma")).isEqualTo("1 finished\n");
        assertThat(run(0, "finish", "Emma")).as("once").isEqualTo("1 finished\n");
        assertThat(run(1, "finish", "Ulysses")).contains("There is no book Ulysses.");
        assertThat(run(1, "read", "Emma")).contains("Say FILE (list | add TITLE PAGES");
        assertThat(run(0, "list"))
                .isEqualTo(
                        """
                        Emma, 474 pages, finished
                        Middlemarch, 880 pages
                            begins slowly
                        1 finished
                        """);
    }

    /** What it says, but for what the log's facade says of itself. */
    private String run(int status, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of("kotlin", "run").toAbsolutePath().toString());
        command.add(directory.resolve("books").toString());
        command.addAll(List.of(words));
        Path output = directory.resolve("output");
        ProcessBuilder process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        process.environment().put("KOTLINC", compiler().toString());
        process.environment().put("FARHEAP_CLASS_PATH", classPath());
        process.environment().put("JAVA25_HOME", JAVA);
        int ended = process.start().waitFor();
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as(said).isEqualTo(status);
        return said.lines()
                .filter(line -> !line.startsWith("SLF4J"))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }
}
