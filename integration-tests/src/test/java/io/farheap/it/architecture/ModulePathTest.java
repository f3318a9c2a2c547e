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
        Path classes =
                compile(
                        "module program { requires io.farheap; }",
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
        assertThat(output(classes)).endsWith("42");
    }

    /** Interfaces and records that nobody else sees, in a package that is not exported. */
    private static final String TYPED_PROGRAM =
            """
            package program;

            import io.farheap.base.FarheapException;
            import io.farheap.objects.*;
            import io.farheap.objects.schema.*;
            import java.nio.file.Path;

            public final class Program {
                @Persistent
                interface Root {
                    Point point();

                    void point(Point value);

                    long count();

                    void count(long value);
                }

                record Point(int x, int y) {}

                public static void main(String[] args) {
                    try (PersistentHeap<Root> heap =
                            PersistentHeap.openOrCreate(Path.of(args[0]), 16 << 20, Root.class)) {
                        heap.transaction(root -> {
                            root.point(new Point(40, 2));
                            root.count(root.point().x() + root.point().y());
                        });
                        System.out.println(heap.root().count());
                    } catch (FarheapException e) {
                        System.out.println(e.getMessage());
                    }
                }
            }
            """;

    @Test
    void aModuleThatOpensItsPackageHasTypedObjects() throws Exception {
        Path classes =
                compile(
                        "module program { requires io.farheap.objects;"
                                + " opens program to io.farheap.objects; }",
                        TYPED_PROGRAM);
        assertThat(output(classes)).endsWith("42");
    }

    @Test
    void aModuleThatKeepsItsPackageClosedHearsWhatToAdd() throws Exception {
        Path classes = compile("module program { requires io.farheap.objects; }", TYPED_PROGRAM);
        assertThat(output(classes))
                .endsWith(
                        """
                        These types can't be stored as they are:
                          Point lies in a package that its module keeps closed: add "opens program to io.farheap.objects;" to the module-info.java of program.
                          Root lies in a package that its module keeps closed: add "opens program to io.farheap.objects;" to the module-info.java of program."""
                                .replace("\n", System.lineSeparator()));
    }

    private Path compile(String descriptor, String program) throws IOException {
        Path source = Files.createDirectories(directory.resolve("source/program"));
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
                                Files.writeString(
                                                source.resolveSibling("module-info.java"),
                                                descriptor)
                                        .toString(),
                                Files.writeString(source.resolve("Program.java"), program)
                                        .toString());
        assertThat(compiled).isZero();
        return classes;
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
