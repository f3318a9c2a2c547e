package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a program's log has of its pools at the level info (docs/monitoring.md#the-log): of a
 * process of its own, for the level is read once.
 */
class PoolLogTest {
    private static final long GROWTH = 4 << 20;
    private static final String DOMAIN = "its persistence domain is PAGE_CACHE";

    @TempDir private Path dir;

    @Test
    void openingRecoveryGrowthAndCloseAreLogged() throws Exception {
        for (String part : List.of("a", "b")) {
            Files.createDirectory(dir.resolve(part));
        }
        Files.writeString(
                dir.resolve("dirs.set"),
                "PMEMPOOLSET\nOPTION SINGLEHDR\n16M %1$s/a\n16M %1$s/b\n".formatted(dir));
        Process program =
                new ProcessBuilder(
                                LocalMachine.java(
                                        List.of("-Dorg.slf4j.simpleLogger.log.io.farheap=info"),
                                        Program.class.getName(),
                                        dir.toString()))
                        .redirectErrorStream(true)
                        .start();
        String log = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(program.waitFor()).as(log).isZero();
        assertThat(log.lines().filter(line -> line.startsWith("INFO ")))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith(said("bank.pool", opened(0))),
                        line -> assertThat(line).endsWith(said("bank.pool", DOMAIN)),
                        line -> assertThat(line).endsWith(said("bank.pool", "closed")),
                        line -> assertThat(line).endsWith(said("left.pool", opened(1))),
                        line -> assertThat(line).endsWith(said("left.pool", DOMAIN)),
                        line -> assertThat(line).endsWith(said("left.pool", "closed")),
                        line -> assertThat(line).endsWith(said("dirs.set", opened(0))),
                        line -> assertThat(line).endsWith(said("dirs.set", DOMAIN)),
                        line ->
                                assertThat(line)
                                        .endsWith(said("dirs.set", GROWTH + " bytes longer")),
                        line -> assertThat(line).endsWith(said("dirs.set", "closed")));
    }

    private static String opened(int rolledBack) {
        return "open; 0 redo logs completed, " + rolledBack + " transactions rolled back";
    }

    private String said(String pool, String what) {
        return dir.resolve(pool) + ": " + what;
    }

    /**
     * Makes a pool, opens what a crash in its transaction would leave, and has another one grow.
     */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            Path dir = Path.of(args[0]);
            PoolOptions pages =
                    PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
            Path bank = dir.resolve("bank.pool");
            Path left = dir.resolve("left.pool");
            try (ObjectPool pool =
                    ObjectPool.at(bank).layout("bank").size(8 << 20).options(pages).create()) {
                Ref root = pool.root(64);
                pool.transaction(
                        tx -> {
                            tx.snapshot(root, 0, 64).fill((byte) 1);
                            copy(bank, left);
                        });
            }
            ObjectPool.at(left).layout("bank").options(pages).open().close();
            try (ObjectPool pool =
                    ObjectPool.at(dir.resolve("dirs.set")).layout("dirs").options(pages).create()) {
                pool.heap().extend(GROWTH);
            }
        }

        private static void copy(Path from, Path to) {
            try {
                Files.copy(from, to);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
