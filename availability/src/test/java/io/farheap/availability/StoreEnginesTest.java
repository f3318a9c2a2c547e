package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreEngine;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.base.FarheapException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars that have no engine, or not what they say. */
class StoreEnginesTest {
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @TempDir private Path directory;

    /** An engine that works. */
    public static final class Working implements StoreEngine {
        @Override
        public String kind() {
            return "working";
        }

        @Override
        public String example() {
            return "working:x";
        }

        @Override
        public void check(StoreSettings settings) {}

        @Override
        public Coordinator connect(StoreSettings settings) {
            throw new AssertionError(settings);
        }
    }

    /** One whose own jar is beside it, and another that it needs is not. */
    public static final class Lacking implements StoreEngine {
        @Override
        public String kind() {
            return "lacking";
        }

        @Override
        public String example() {
            return "lacking:x";
        }

        @Override
        public void check(StoreSettings settings) {
            throw new NoClassDefFoundError("org/other/Client");
        }

        @Override
        public Coordinator connect(StoreSettings settings) {
            throw new AssertionError(settings);
        }
    }

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    private void name(String... engines) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.write(services.resolve(StoreEngine.class.getName()), List.of(engines));
        Thread.currentThread()
                .setContextClassLoader(
                        new URLClassLoader(new URL[] {directory.toUri().toURL()}, before));
    }

    @Test
    void aJarWithoutItsEngineIsSaidToBeUnusable() throws Exception {
        name("io.farheap.other.Missing", String.class.getName());

        assertThatThrownBy(() -> StoreAddress.of("zookeeper:z1"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("io.farheap:farheap-zookeeper must be of the same version");
    }

    @Test
    void oneThatIsUnusableKeepsNobodyFromAnother() throws Exception {
        name("io.farheap.other.Missing", Working.class.getName());

        assertThat(StoreAddress.of("working:x").engine()).isInstanceOf(Working.class);
    }

    @Test
    void whatAnEngineLacksIsNamed() throws Exception {
        name(Lacking.class.getName());

        assertThatThrownBy(() -> StoreAddress.of("lacking:x"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("org/other/Client");
    }
}
