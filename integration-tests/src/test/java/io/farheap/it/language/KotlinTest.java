package io.farheap.it.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kotlin finds the types of transactions, results and constructors by itself, as Java does. */
class KotlinTest {
    private static final Path PROGRAM =
            Path.of("src", "test", "kotlin", "io", "farheap", "it", "language", "Ledger.kt");

    @TempDir Path directory;

    @Test
    void aProgramThatNamesNoTypeCompilesAndRuns() throws Throwable {
        Path classes = directory.resolve("classes");
        compile(PROGRAM, classes);

        try (ObjectPool pool =
                        ObjectPool.at(directory.resolve("ledger.pool"))
                                .layout("ledger")
                                .size(8L << 20)
                                .create();
                URLClassLoader loader =
                        new URLClassLoader(
                                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?> type = loader.loadClass("io.farheap.it.language.Ledger");
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            MethodType text = MethodType.methodType(String.class);
            MethodType amountIn = MethodType.methodType(void.class, long.class);
            MethodType amountOut = MethodType.methodType(long.class, long.class);
            Object ledger =
                    lookup.findConstructor(
                                    type, MethodType.methodType(void.class, ObjectPool.class))
                            .invoke(pool);
            MethodHandle report = lookup.findVirtual(type, "report", text).bindTo(ledger);
            MethodHandle withdraw = lookup.findVirtual(type, "withdraw", amountOut).bindTo(ledger);

            lookup.findVirtual(type, "deposit", amountIn).bindTo(ledger).invoke(50L);
            assertThat((long) withdraw.invoke(30L)).isEqualTo(120);
            assertThatThrownBy(() -> withdraw.invoke(1000L))
                    .as("a checked exception travels on")
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("-880");
            assertThat((String) report.invoke()).as("and aborts").isEqualTo("balance 120");

            lookup.findVirtual(type, "close", MethodType.methodType(void.class))
                    .bindTo(ledger)
                    .invoke();
            assertThat((String) report.invoke()).isEqualTo("balance 0");
        }
    }

    private static void compile(Path program, Path classes) {
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        ExitCode result =
                new K2JVMCompiler()
                        .exec(
                                new PrintStream(messages, true, StandardCharsets.UTF_8),
                                program.toString(),
                                "-d",
                                classes.toString(),
                                "-classpath",
                                classPath(),
                                "-no-stdlib",
                                "-no-reflect",
                                "-Werror");
        assertThat(result).as(messages.toString(StandardCharsets.UTF_8)).isEqualTo(ExitCode.OK);
    }

    /** Without the directories that no module has: a warning is an error here. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Files.exists(Path.of(entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
