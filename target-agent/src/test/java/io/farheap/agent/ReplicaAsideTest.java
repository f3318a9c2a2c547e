package io.farheap.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files get other names, all or none, and the journal last; what they hold does not matter. */
class ReplicaAsideTest {
    private static final String SUFFIX = ".aside-20261129T170000Z";

    /** With the suffix, no file system takes it. */
    private static final String LONG = "p".repeat(240);

    @TempDir private Path directory;

    private Path poolset;

    @BeforeEach
    void write() throws IOException {
        poolset = directory.resolve("copy.set");
        poolSet("part1");
        for (String name :
                List.of(
                        "part0",
                        "part1",
                        LONG,
                        "part0.journal",
                        "part0.disk-journal",
                        "part0.two.dirty",
                        "part0.readers",
                        "part0.term")) {
            Files.writeString(directory.resolve(name), name);
        }
    }

    private void poolSet(String second) throws IOException {
        Files.writeString(
                poolset,
                "PMEMPOOLSET\n16M "
                        + directory.resolve("part0")
                        + "\n16M "
                        + directory.resolve(second)
                        + "\n");
    }

    private ReplicaAside aside() {
        return Promotion.of(poolset).aside();
    }

    private TreeSet<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            TreeSet<String> names = new TreeSet<>();
            files.forEach(file -> names.add(file.getFileName().toString()));
            return names;
        }
    }

    @Test
    void theReplicasJournalGoesLastAndADiskJournalBeforeTheParts() throws IOException {
        List<String> moved =
                aside().move(SUFFIX, () -> {}).stream()
                        .map(one -> one.from().getFileName().toString())
                        .toList();
        assertThat(moved)
                .containsExactly(
                        "part0.disk-journal",
                        "part0.two.dirty",
                        "part0.readers",
                        "part0",
                        "part1",
                        "part0.term",
                        "part0.journal");
        for (String name : moved) {
            assertThat(directory.resolve(name)).doesNotExist();
            assertThat(directory.resolve(name + SUFFIX)).hasContent(name);
        }
    }

    @Test
    void whatFailsInTheMiddleIsPutBack() throws IOException {
        poolSet(LONG);
        TreeSet<String> before = names();
        assertThatThrownBy(() -> aside().move(SUFFIX, () -> {}))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(LONG)
                .hasMessageEndingWith("nothing was moved");
        before.add("part0.journal.lock");
        assertThat(names()).isEqualTo(before);
    }

    @Test
    void nothingIsMovedThatIsNotAllowedOrHasNoJournalOrIsThere() throws IOException {
        assertThatThrownBy(
                        () ->
                                aside().move(
                                                SUFFIX,
                                                () -> {
                                                    throw FarheapException.wrongUse("It counts.");
                                                }))
                .hasMessage("It counts.");
        Files.writeString(directory.resolve("part1" + SUFFIX), "");
        assertThatThrownBy(() -> aside().move(SUFFIX, () -> {}))
                .hasMessageContaining("is there already");
        Files.delete(directory.resolve("part0.journal"));
        assertThatThrownBy(() -> aside().move(SUFFIX, () -> {}))
                .hasMessageContaining("no replica's journal");
        assertThat(directory.resolve("part0.journal.lock")).doesNotExist();
        assertThat(directory.resolve("part0")).hasContent("part0");
        assertThat(directory.resolve("part1")).hasContent("part1");
    }
}
