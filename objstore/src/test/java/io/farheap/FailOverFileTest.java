package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.spi.ReplicatedPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A pool that its node has written under automatic fail-over: what is committed in it past the
 * record in the store would be nobody's.
 */
class FailOverFileTest {
    private static final String LAYOUT = "test";

    @TempDir Path directory;

    private Path set;
    private Path term;

    /** Whoever has switches recorded, and refuses what can't be. */
    private static final class Recorder implements ReplicaSinkProvider {
        @Override
        public ReplicaSink attach(ReplicatedPool pool) {
            throw new IllegalStateException("no replica is named");
        }

        @Override
        public void goesAlone(Path pool) {
            throw FarheapException.wrongUse("%s goes alone", pool);
        }
    }

    @BeforeEach
    void create() throws IOException {
        set = directory.resolve("pool.set");
        Path part = directory.resolve("part0");
        Files.writeString(set, "PMEMPOOLSET\n16M " + part + "\n");
        term = new SideFiles(part).term();
        ObjectPool.create(set, LAYOUT).close();
    }

    private long number() {
        PoolInspection found = PoolInspection.of(PoolSource.of(set).existing());
        return found.replicas().get(0).get(0).runId();
    }

    @Test
    void isNotOpenedPastTheRecord() throws IOException {
        long before = number();
        Files.createFile(term);
        assertThatThrownBy(() -> ObjectPool.open(set, LAYOUT))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContainingAll(
                        "pool.set is under automatic fail-over",
                        term.toString(),
                        "HighAvailability");
        assertThat(number()).as("the record's number is still the pool's").isEqualTo(before);

        Files.delete(term);
        ObjectPool.open(set, LAYOUT).close();
    }

    /** Its node may name it by a link, and whoever opens it past the record by the file. */
    @Test
    void isNotOpenedPastTheRecordByAnotherNameEither() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("links"));
        Path link = Files.createSymbolicLink(folder.resolve("part"), directory.resolve("part0"));
        Path byLink = Files.writeString(folder.resolve("a.set"), "PMEMPOOLSET\n16M " + link + "\n");
        for (Path place : new SideFiles(link).terms()) {
            Files.createFile(place);
            assertThatThrownBy(() -> ObjectPool.open(byLink, LAYOUT))
                    .hasMessageContaining(place.toString());
            if (place.equals(new SideFiles(link).term())) {
                assertThatThrownBy(() -> ObjectPool.open(set, LAYOUT))
                        .hasMessageContaining("pool.set is under automatic fail-over");
            }
            Files.delete(place);
        }
        ObjectPool.open(byLink, LAYOUT).close();
    }

    @Test
    void nothingIsMadeBesideWhatTheOldOneLeft() throws IOException {
        Files.createFile(term);
        Files.delete(directory.resolve("part0"));
        assertThatThrownBy(() -> ObjectPool.create(set, LAYOUT))
                .hasMessageContaining("move that file away");
        assertThat(directory.resolve("part0")).doesNotExist();
    }

    @Test
    void mayBeLookedAtInAPrivateCopy() throws IOException {
        Files.createFile(term);
        PoolOptions privately = PoolOptions.builder().copyOnWrite(true).build();
        ObjectPool.at(set).layout(LAYOUT).options(privately).open().close();
    }

    /** A slip in the poolset file's name must not cost the number by which a copy is known. */
    @Test
    void whoHasItsSwitchesRecordedHearsOfAPoolWithoutReplicasBeforeAnythingIsDone() {
        long before = number();
        assertThatThrownBy(
                        () ->
                                ClassPathReplicas.replacedBy(
                                        new Recorder(), () -> ObjectPool.open(set, LAYOUT)))
                .hasMessage(set + " goes alone");
        assertThat(number()).isEqualTo(before);
        ObjectPool.open(set, LAYOUT).close();
    }
}
