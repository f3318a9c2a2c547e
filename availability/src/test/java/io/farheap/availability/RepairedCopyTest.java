package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.agent.Promotion;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This node's files, of a pool that was never a replica. */
class RepairedCopyTest {
    @TempDir private Path directory;

    private Path set;
    private RepairedCopy copy;

    @BeforeEach
    void create() throws IOException {
        set = directory.resolve("copy.set");
        String part = "\n16M " + directory.resolve("part");
        Files.writeString(set, "PMEMPOOLSET" + part + "0" + part + "1\n");
        ObjectPool.create(set, "layout").close();
        copy = RepairedCopy.of(Promotion.of(set));
    }

    @Test
    void itsNumberIsToldAndNothingIsChanged() throws IOException {
        byte[] before = Files.readAllBytes(directory.resolve("part0"));
        SeenCopy seen = copy.look("b");
        assertThat(seen.kind()).isEqualTo(SeenCopy.Kind.WHOLE);
        assertThat(seen.number()).isNotZero();
        assertThat(seen.uuid()).isNotEmpty();
        assertThat(seen.pool()).isNotEmpty().isNotEqualTo(seen.uuid());
        assertThat(Files.readAllBytes(directory.resolve("part0"))).isEqualTo(before);
        assertThat(directory.resolve("part0.term")).doesNotExist();
    }

    /** Without a slot it is what the node keeps that keeps an old writer away. */
    @Test
    void itIsFencedByTheTermFileAndNotWhileAProgramHasIt() {
        long number = copy.look("b").number();
        try (ObjectPool program = ObjectPool.open(set, "layout")) {
            assertThat(program.layout()).isEqualTo("layout");
            assertThatThrownBy(() -> copy.fence("b", 9, number))
                    .isInstanceOf(FarheapException.class);
            assertThat(copy.heard()).isZero();
        }
        copy.fence("b", 9, number);
        assertThat(copy.heard()).isEqualTo(9);
        assertThat(copy.look("b").term()).isEqualTo(9);
        copy.fence("b", 8, number);
        assertThat(copy.heard()).isEqualTo(9);
    }

    /** Its program could not open it either. */
    @Test
    void filesThatLackMoreThanAJournalAreNotWhole() throws IOException {
        Files.delete(directory.resolve("part1"));
        assertThat(copy.look("b").kind()).isEqualTo(SeenCopy.Kind.UNKNOWN);
        assertThat(copy.look("b").text()).contains("damaged");
    }
}
