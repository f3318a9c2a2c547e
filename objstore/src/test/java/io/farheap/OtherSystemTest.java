package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program on a system that Java calls by another name than Linux: nobody asks it to, and it keeps
 * its pools without the C library. It is killed; this process, whatever it uses, opens them.
 */
class OtherSystemTest {
    private static final long COUNTED = 200;

    @TempDir private Path directory;

    private Path set() throws IOException {
        return Files.writeString(
                directory.resolve("pool.set"),
                "PMEMPOOLSET\n8M %1$s/a\n8M %1$s/b\nREPLICA\n16M %1$s/copy\n".formatted(directory));
    }

    @Test
    void itsPoolIsOneForLinux() throws Exception {
        Path set = set();
        Path log = directory.resolve("classes.log");
        Process program = program(set, "class+init=info:file=" + log);
        try (BufferedReader told = program.inputReader()) {
            String line = told.readLine();
            assertThat(line).isEqualTo(PersistenceDomain.PAGE_CACHE.name());
            assertThat(told.readLine()).isEqualTo("counted");
            assertThatThrownBy(() -> ObjectPool.open(set, "other"))
                    .hasMessageContaining("is in use by process " + program.pid());
        } finally {
            assertThat(program.toHandle().destroyForcibly()).isTrue();
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        try (ObjectPool pool = ObjectPool.open(set, "other")) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(COUNTED);
            assertThat(pool.check().inconsistencies()).isEmpty();
        }
        assertThat(Files.readString(log))
                .contains("Initializing 'io/farheap/memory/PortableCalls'")
                .doesNotContain("Initializing 'io/farheap/memory/LibC'");
    }

    private static Process program(Path set, String log) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Dos.name=Mac OS X",
                                "-Xlog:" + log,
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Program.class.getName(),
                                set.toString()));
        String unused = builder.environment().remove("FARHEAP_PORTABLE");
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Counts, says so, and waits to be killed. */
    static final class Program {
        public static void main(String[] arguments) throws IOException {
            Path set = Path.of(arguments[0]);
            try (ObjectPool pool = ObjectPool.at(set).layout("other").create()) {
                System.out.println(pool.persistenceDomain());
                count(pool, COUNTED / 2);
            }
            try (ObjectPool pool = ObjectPool.open(set, "other")) {
                count(pool, COUNTED / 2);
                System.out.println("counted");
                int unused = System.in.read();
            }
        }

        private static void count(ObjectPool pool, long times) {
            Ref root = pool.root(64);
            for (long i = 0; i < times; i++) {
                pool.transaction(tx -> tx.setLong(root, 0, tx.getLong(root, 0) + 1));
            }
        }
    }
}
