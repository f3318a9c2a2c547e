package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** There is a pool with a replica, and then something is wrong with what a command is given. */
class ReplicatedPoolBadInputTest {
    private static final int BAD_DATA = 1;
    private static final int WRONG_USE = 2;
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;

    /** A command line, what is wrong, and what the command must say. */
    private record Case(String command, Consumer<Site> prepare, int code, List<String> says) {
        @Override
        public String toString() {
            return command + ": " + says;
        }
    }

    private static Case of(String command, int code, Consumer<Site> prepare, String... says) {
        return new Case(command, prepare, code, Arrays.asList(says));
    }

    static List<Case> cases() {
        Consumer<Site> down = site -> site.machines().takeDown("there");
        Consumer<Site> nothing = site -> {};
        Consumer<Site> lost = site -> delete(site.here("pool.part0"));
        return List.of(
                of("rm pool.set", REPLICA, down, "replica there copy.set: ", "No route to host"),
                of(
                        "sync pool.set",
                        REPLICA,
                        lost.andThen(down),
                        "there copy.set",
                        "No route to host"),
                of(
                        "create other.set",
                        WRONG_USE,
                        site ->
                                site.machines()
                                        .poolSet("here", "other.set", "8M", "there copy.set"),
                        "the target holds a copy of the pool",
                        "to restore that pool: farheap sync"),
                of(
                        "sync other.set",
                        REPLICA,
                        site ->
                                site.machines()
                                        .poolSet("here", "other.set", "16M", "there copy.set"),
                        "(there copy.set) has room for 8388608 bytes",
                        "16777216"),
                of(
                        "sync pool.set",
                        BAD_DATA,
                        site -> site.machines().write(site.set(), "PMEMPOOLSET\n8M here\n"),
                        "pool.set:2:4: "),
                of("sync pool.part0", WRONG_USE, nothing, "is not a poolset file"),
                of("sync none.set", ENVIRONMENT, nothing, "none.set: No such file"),
                of(
                        "sync --overwrite else pool.set",
                        WRONG_USE,
                        nothing,
                        "no remote replica \"else\"",
                        "there copy.set"),
                of(
                        "sync pool.set",
                        BAD_DATA,
                        lost.andThen(site -> damage(site.there("copy.part0.journal"), 0, 8192)),
                        "there copy.set"),
                of(
                        "sync pool.set",
                        BAD_DATA,
                        lost.andThen(site -> delete(site.there("copy.part0"))),
                        "there copy.set"),
                of(
                        "sync pool.set",
                        BAD_DATA,
                        lost.andThen(site -> damage(site.there("copy.part0"), 0, 64)),
                        "there copy.set"));
    }

    private static Site site;
    private static Map<Path, byte[]> intact;

    @BeforeAll
    static void create() {
        site = Site.make();
        site.farheap("create", "-l", "bank", "pool.set").succeeded();
        intact = site.contents();
    }

    @AfterAll
    static void close() {
        site.close();
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Timeout(60)
    @Tag("deep")
    void nothingChanges(Case wrong) {
        wrong.prepare().accept(site);
        awaitAgents();
        Map<String, Long> before = site.files();

        Site.Run run = site.farheap(wrong.command().split(" "));

        run.failedWith(wrong.code(), wrong.says().toArray(String[]::new));
        awaitAgents();
        assertThat(site.files()).isEqualTo(before);
    }

    /** One that is still ending has its replica marked as open. */
    private static void awaitAgents() {
        await().until(() -> !site.machines().isBusy("there"));
    }

    @AfterEach
    void putBack() {
        site.putBack(intact);
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void damage(Path file, long offset, int length) {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            byte[] old = new byte[length];
            bytes.seek(offset);
            bytes.readFully(old);
            for (int i = 0; i < length; i++) {
                old[i] ^= 0x5A;
            }
            bytes.seek(offset);
            bytes.write(old);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
