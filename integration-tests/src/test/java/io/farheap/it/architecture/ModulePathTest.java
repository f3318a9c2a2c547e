package io.farheap.it.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a program sees of Farheap that has it on its module path. */
class ModulePathTest {
    private static final String PATH =
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                    .filter(ModulePathTest::isOfAProgram)
                    .collect(Collectors.joining(File.pathSeparator));

    @TempDir private Path directory;

    /** What a program needs that has a pool: no test, no tool. */
    private static boolean isOfAProgram(String entry) {
        return Files.exists(Path.of(entry))
                && Stream.of(
                                "objstore",
                                "objects",
                                "poolset-parser",
                                "replication",
                                "chronicle",
                                "disni",
                                "jackson",
                                "slf4j-api")
                        .anyMatch(name -> entry.contains("/" + name));
    }

    @ParameterizedTest
    @CsvSource({
        "io.farheap, 'io.farheap io.farheap.base io.farheap.pmemobj'",
        "io.farheap.objects, 'io.farheap.objects io.farheap.objects.schema'",
        "io.farheap.poolset, io.farheap.poolset",
        "io.farheap.replication, ''"
    })
    void aModuleExportsItsApiAndNothingElse(String module, String packages) {
        ModuleDescriptor found =
                ModuleFinder.of(
                                Stream.of(PATH.split(File.pathSeparator))
                                        .map(Path::of)
                                        .toArray(Path[]::new))
                        .find(module)
                        .orElseThrow()
                        .descriptor();

        Set<String> exported =
                found.exports().stream()
                        .filter(export -> !export.isQualified())
                        .map(ModuleDescriptor.Exports::source)
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(String.join(" ", exported)).isEqualTo(packages);
    }

    @Test
    void aProgramOnTheModulePathHasAPool() throws Exception {
        Path source = Files.createDirectories(directory.resolve("source/program"));
        Path descriptor = directory.resolve("source/module-info.java");
        Path program = source.resolve("Program.java");
        Files.writeString(descriptor, "module program { requires io.farheap; }");
        Files.writeString(
                program,
                """
                package program;

                import io.farheap.ObjectPool;
                import java.nio.file.Path;

                public final class Program {
                    public static void main(String[] args) {
                        try (ObjectPool pool = ObjectPool.at(Path.of(args[0])).layout("module").size(8 << 20).create()) {
                            pool.transaction(tx -> tx.setLong(pool.root(8), 0, 42));
                            System.out.println(pool.getLong(pool.root(), 0));
                        }
                    }
                }
                """);
        Path classes = directory.resolve("classes");
        int compiled =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-p",
                                PATH,
                                "-d",
                                classes.toString(),
                                descriptor.toString(),
                                program.toString());
        assertThat(compiled).isZero();

        assertThat(output(classes)).endsWith("42");
    }

    private String output(Path classes) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "--enable-native-access=io.farheap,chronicle.core",
                                        "--sun-misc-unsafe-memory-access=allow",
                                        "--add-exports=java.base/jdk.internal.ref=chronicle.core",
                                        "--add-exports=java.base/sun.nio.ch=chronicle.core",
                                        "--add-opens=java.base/java.lang.reflect=chronicle.core",
                                        "-p",
                                        PATH + File.pathSeparator + classes,
                                        "-m",
                                        "program/program.Program",
                                        directory.resolve("pool").toString()))
                        .redirectErrorStream(true)
                        .start();
        process.getOutputStream().close();
        byte[] said = process.getInputStream().readAllBytes();
        int status = process.waitFor();
        String output = new String(said, StandardCharsets.UTF_8).strip();
        assertThat(status).as(output).isZero();
        return output;
    }
}
