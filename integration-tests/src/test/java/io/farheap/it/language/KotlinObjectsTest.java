package io.farheap.it.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Properties of Kotlin's interfaces are fields, its records values, its lambdas transactions. */
class KotlinObjectsTest {
    @TempDir Path directory;

    @Test
    void aProgramThatNamesNoTypeCompilesAndRuns() throws Exception {
        Path classes = directory.resolve("classes");
        KotlinProgram.compile("Shop.kt", classes, "-jvm-target", "17");
        try (URLClassLoader loader =
                new URLClassLoader(
                        new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Supplier<?> shop =
                    (Supplier<?>)
                            loader.loadClass("io.farheap.it.language.Shop")
                                    .getConstructor()
                                    .newInstance();
            assertThat(shop.get()).isEqualTo("2 1 Price(cents=250, currency=EUR) true closed");
        }
    }
}
