package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.DiskDirectory;
import io.farheap.ObjectPool;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.it.support.Agreement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands with a pool on an ordinary disk, of which nobody said anything of journals. */
class OrdinaryDiskCommandsTest {
    private DiskDirectory disk;
    private Path set;

    @BeforeEach
    void aPoolOfTwoReplicas() {
        disk = DiskDirectory.create();
        set = set("a.set", "8M part0", "8M part1", "REPLICA", "16M copy0");
        succeeds("create", set);
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            Ref root = pool.root(64);
            pool.transaction(tx -> tx.setLong(root, 0, 42));
        }
    }

    @AfterEach
    void remove() {
        disk.close();
    }

    private Path set(String name, String... lines) {
        String text =
                "PMEMPOOLSET\n"
                        + String.join("\n", lines)
                                .replaceAll("M (\\w+)", "M " + disk.path() + "/$1")
                        + "\n";
        try {
            return Files.writeString(disk.path().resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> names() {
        try (Stream<Path> all = Files.list(disk.path())) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String succeeds(Object... words) {
        NativeJudge.Answer answer =
                NativeTools.farheap(Stream.of(words).map(Object::toString).toArray(String[]::new));
        assertThat(answer.exitCode()).as("%s: %s", List.of(words), answer).isZero();
        return answer.out();
    }

    /** Types what the command's refusal has for who agrees to the loss of copies. */
    private static void agrees(Object... words) {
        NativeJudge.Answer refused =
                NativeTools.farheap(Stream.of(words).map(Object::toString).toArray(String[]::new));
        String[] agreed = Agreement.words(refused.err());
        if (refused.exitCode() != 0 || agreed.length > 0) {
            assertThat(agreed).as("%s", refused).isNotEmpty();
            succeeds((Object[]) agreed);
        }
    }

    private void assertWhole(Path pool) {
        try (ObjectPool opened = ObjectPool.open(pool, "")) {
            assertThat(opened.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            assertThat(opened.getLong(opened.root(64), 0)).isEqualTo(42);
            assertThat(opened.check().inconsistencies()).isEmpty();
        }
        assertThat(succeeds("check", pool)).contains("consistent");
        assertThat(succeeds("status", pool)).doesNotContain("not closed");
    }

    @Test
    void whoLooksAtItFindsItWholeAndItsJournals() {
        assertThat(names())
                .containsExactly(
                        "a.set",
                        "copy0",
                        "copy0.disk-journal",
                        "part0",
                        "part0.disk-journal",
                        "part1");
        assertThat(succeeds("info", set)).contains("part0.disk-journal");
        succeeds("verify", set);
        assertWhole(set);
    }

    @Test
    void theStatusOfOneThatIsOpenIsGood() {
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            pool.transaction(tx -> tx.setLong(pool.root(64), 0, 42));
            assertThat(succeeds("status", set)).contains("current");
        }
    }

    @Test
    void featuresAreChanged() {
        succeeds("feature", "-d", "SHUTDOWN_STATE", set);
        assertThat(succeeds("feature", "-q", "SHUTDOWN_STATE", set)).contains("0");
        succeeds("feature", "-e", "SHUTDOWN_STATE", set);
        assertWhole(set);
    }

    @Test
    void aLostReplicaIsMadeAnewAndSoIsItsJournal() throws IOException {
        Files.delete(disk.path().resolve("copy0"));
        Files.delete(disk.path().resolve("copy0.disk-journal"));
        succeeds("sync", set);
        assertWhole(set);
        assertThat(names()).contains("copy0", "copy0.disk-journal");
    }

    @Test
    void alsoWhereItsJournalIsLeft() throws IOException {
        Files.delete(disk.path().resolve("copy0"));
        succeeds("sync", set);
        assertWhole(set);
    }

    @Test
    void alsoOfAPoolThatWasKilled() throws IOException {
        Path killed = Files.createDirectory(disk.path().resolve("killed"));
        Path there = Files.writeString(killed.resolve("a.set"), textIn(killed));
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            pool.transaction(tx -> tx.setLong(pool.root(64), 0, 42));
            for (String name : names()) {
                if (name.matches("(part|copy).*")) {
                    Files.copy(disk.path().resolve(name), killed.resolve(name));
                }
            }
        }
        Files.delete(killed.resolve("copy0"));

        assertThat(NativeTools.farheap("recover", there.toString()).err())
                .contains("is needed no more", "copy0 is missing");
        succeeds("sync", there);
        assertWhole(there);
    }

    private String textIn(Path directory) throws IOException {
        return Files.readString(set)
                .replace(disk.path().toString() + "/", directory.toString() + "/");
    }

    @Test
    void aTransformedOneIsWholeAndLeavesNothing() {
        Path longer =
                set(
                        "b.set",
                        "8M part0",
                        "8M part1",
                        "REPLICA",
                        "16M copy0",
                        "REPLICA",
                        "16M more0");
        succeeds("transform", set, longer);
        assertWhole(longer);
        Path alone = set("c.set", "8M part0", "8M part1");
        agrees("transform", longer, alone);
        assertWhole(alone);
        assertThat(names())
                .containsExactly("a.set", "b.set", "c.set", "part0", "part0.disk-journal", "part1");
    }

    @Test
    void aRemovedOneIsGoneWithItsJournals() {
        agrees("rm", set);
        assertThat(names()).containsExactly("a.set");
    }
}
