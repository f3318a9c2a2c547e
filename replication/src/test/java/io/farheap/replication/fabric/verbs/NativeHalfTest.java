package io.farheap.replication.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DiSNI's native half, built anew from its sources in C. Needs no RDMA device. */
class NativeHalfTest {
    private static final Path SOURCES = Path.of("src/main/c");
    private static final String JDK = System.getProperty("java.home");

    @TempDir private Path folder;

    /** Skips the calling test, or fails it in CI, where it can't be built. */
    static void require() {
        boolean buildable = Files.exists(Path.of("/usr/include/rdma/rdma_cma.h"));
        if (System.getenv("CI") != null) {
            assertThat(buildable).as("CI must have librdmacm-dev").isTrue();
        }
        Assumptions.assumeTrue(buildable, "librdmacm-dev is not installed");
    }

    @BeforeEach
    void check() {
        require();
    }

    @Test
    void everyNativeMethodOfDisniIsThere() throws Exception {
        Path library = folder.resolve("libdisni.so");
        run(SOURCES.resolve("build").toString(), library.toString(), JDK);
        List<String> names = new ArrayList<>();
        for (String type :
                List.of(
                        "com.ibm.disni.verbs.impl.NativeDispatcher",
                        "com.ibm.disni.util.NativeAffinity")) {
            for (Method method :
                    Class.forName(type, false, getClass().getClassLoader()).getDeclaredMethods()) {
                if (Modifier.isNative(method.getModifiers())) {
                    names.add(jniName(type) + "_" + jniName(method.getName()));
                }
            }
        }
        assertThat(names).hasSize(50);
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup symbols = SymbolLookup.libraryLookup(library, arena);
            assertThat(names).allMatch(name -> symbols.find("Java_" + name).isPresent());
        }
    }

    private static String jniName(String name) {
        return name.replace("_", "_1").replace('.', '_');
    }

    @Test
    void testsInC() throws Exception {
        List<String> command =
                new ArrayList<>(List.of("cc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra"));
        command.add("-I" + JDK + "/include");
        command.add("-I" + JDK + "/include/linux");
        Path program = folder.resolve("natives");
        command.addAll(List.of("-o", program.toString(), "src/test/c/natives.c"));
        try (Stream<Path> files = Files.list(SOURCES)) {
            files.map(Path::toString).filter(name -> name.endsWith(".c")).forEach(command::add);
        }
        command.addAll(List.of("-lrdmacm", "-libverbs", "-lpthread"));
        run(command.toArray(new String[0]));
        run(program.toString());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("%s: %s", List.of(command), said).isZero();
    }
}
