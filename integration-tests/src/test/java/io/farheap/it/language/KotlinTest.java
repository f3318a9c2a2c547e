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
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs in Kotlin that name no type: it finds them by itself, as Java does. */
@Tag("deep")
class KotlinTest {
    @TempDir static Path classes;
    @TempDir Path directory;

    @BeforeAll
    static void compile() {
        KotlinProgram.compile(classes, "Ledger.kt", "Shop.kt");
    }

    /** Properties of interfaces are fields, records values, lambdas transactions. */
    @Test
    void typedObjectsAreInterfacesAndRecords() throws Exception {
        try (URLClassLoader loader = loader()) {
            Supplier<?> shop =
                    (Supplier<?>)
                            loader.loadClass("io.farheap.it.language.Shop")
                                    .getConstructor()
                                    .newInstance();
            assertThat(shop.get()).isEqualTo("2 1 Price(cents=250, currency=EUR) true closed");
        }
    }

    private static URLClassLoader loader() throws IOException {
        return new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, KotlinTest.class.getClassLoader());
    }

    @Test
    void transactionsOfThePoolAreLambdas() throws Throwable {
        try (ObjectPool pool =
                        ObjectPool.at(directory.resolve("ledger.pool"))
                                .layout("ledger")
                                .size(8L << 20)
                                .create();
                URLClassLoader loader = loader()) {
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
