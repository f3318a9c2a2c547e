package io.farheap.it.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kotlin finds the types of transactions, results and constructors by itself, as Java does. */
class KotlinTest {
    @TempDir Path directory;

    @Test
    void aProgramThatNamesNoTypeCompilesAndRuns() throws Throwable {
        Path classes = directory.resolve("classes");
        KotlinProgram.compile("Ledger.kt", classes);

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
}
