package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What looks like evidence that parts fit together, and may be none. */
class PartsInDoubtTest extends PoolOfParts {
    private static final PoolOptions JOURNALED =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();

    @Test
    void whoOpensThePoolIsToldThatReplicasMayHaveAllOfItTogether() throws IOException {
        lose("b", "f");
        assertThatThrownBy(() -> ObjectPool.at(set).layout("bank").options(PAGES).open())
                .isInstanceOf(FarheapException.class)
                .hasMessageContainingAll(
                        "farheap sync -d " + set + " says whether the replicas have all of it",
                        "else put all files of a backup in place, not single ones")
                .hasMessageNotContaining("put them back");
        Run.farheap("recover", set)
                .failedWith(
                        ExitCode.ENVIRONMENT, "farheap sync -d " + set, "all files of a backup");
    }

    @Test
    void whereADiskJournalHasTheNewestCommitsMissingFilesAreWanted() throws IOException {
        crash();
        lose("b", "f");
        String recover = "put the missing files back if they can be found, then: farheap recover ";
        Run run = refused("which can't be brought to a replica that lacks a part", recover + set);
        assertThat(run.err()).contains(dir.resolve("b") + " is missing", "all files of a backup");
        Run.farheap("recover", set)
                .failedWith(
                        ExitCode.ENVIRONMENT,
                        "mount the file system that the others are on, then: farheap recover "
                                + set,
                        "put all files of a backup in place, not single ones");

        for (String lost : List.of("b", "f")) {
            Files.write(dir.resolve(lost), sound.get(lost));
        }
        Run.farheap("recover", set).succeeded();
        requireContent();
    }

    private void crash() throws IOException {
        Map<Path, byte[]> open = new TreeMap<>();
        try (ObjectPool pool = ObjectPool.at(set).layout("bank").options(JOURNALED).open()) {
            pool.transaction(tx -> tx.setLong(pool.root(1024), 512, 1));
            try (Stream<Path> files = Files.list(dir)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    open.put(file, Files.readAllBytes(file));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        for (Map.Entry<Path, byte[]> file : open.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }
        sound = bytes();
    }
}
