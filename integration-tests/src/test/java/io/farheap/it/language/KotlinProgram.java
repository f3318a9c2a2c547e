package io.farheap.it.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/** Programs in Kotlin, compiled by its own compiler, all at once: most of the time is its start. */
final class KotlinProgram {
    private static final Path SOURCES =
            Path.of("src", "test", "kotlin", "io", "farheap", "it", "language");

    private KotlinProgram() {}

    /**
     * @param sources names of files
     */
    static void compile(Path classes, String... sources) {
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        Stream<String> options =
                Stream.of(
                        "-d",
                        classes.toString(),
                        "-classpath",
                        classPath(),
                        "-no-stdlib",
                        "-no-reflect",
                        "-jvm-target",
                        "17",
                        "-Werror");
        Stream<String> files = Stream.of(sources).map(source -> SOURCES.resolve(source).toString());
        ExitCode result =
                new K2JVMCompiler()
                        .exec(
                                new PrintStream(messages, true, StandardCharsets.UTF_8),
                                Stream.concat(options, files).toArray(String[]::new));
        assertThat(result).as(messages.toString(StandardCharsets.UTF_8)).isEqualTo(ExitCode.OK);
    }

    /** Without the directories that no module has: a warning is an error here. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Files.exists(Path.of(entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
