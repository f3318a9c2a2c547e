package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
    void anEmptyFileOfTheSizeOfALineThatWasChangedPlacesNothing() throws IOException {
        lose("b", "f");
        write(LINES.replace("5M @b", "6M @b"));
        Files.write(dir.resolve("b"), new byte[6 * MIB]);
        refused("part 2 of replica 0 (" + dir.resolve("c") + ") can't be placed");
    }

    /** Zeros are a shutdown state, too: that of a pool that was closed. */
    @Test
    void aFirstPartWithAHeaderOfZerosTellsNothing() throws IOException {
        byte[] first = Files.readAllBytes(dir.resolve("d"));
        Arrays.fill(first, 0, PAGE, (byte) 0);
        Files.write(dir.resolve("d"), first);
        lose("b");
        refused("are left only in part 1 of replica 1", "put the first part back");
    }

    @Test
    void anOlderReplicaThatIsWholeGivesWayToNewerOnesThatHaveAllTogether() throws IOException {
        createAnew(LINES + "REPLICA\n19M @g\n");
        byte[] old = Files.readAllBytes(dir.resolve("g"));
        ObjectPool.at(set).layout("bank").options(PAGES).open().close();
        sound = bytes();
        Files.write(dir.resolve("g"), old);
        lose("b", "f");
        assertThat(refused("move the parts of replica 2 away, then farheap sync " + set).err())
                .doesNotContain("move the parts of replica 0", "move the parts of replica 1");
        lose("g");
        made();
    }

    @Test
    void soItIsWhereWhatIsInDoubtMayBeMended() throws IOException {
        createAnew(LINES + "REPLICA\n19M @g\n");
        byte[] old = Files.readAllBytes(dir.resolve("g"));
        ObjectPool.at(set).layout("bank").options(PAGES).open().close();
        Files.write(dir.resolve("g"), old);
        lose("b", "f");
        Files.write(dir.resolve("f"), new byte[PAGE]);
        refused(
                "together they may have all of it, but " + dir.resolve("f") + " has 4096 bytes",
                "move the parts of replica 2 away");
    }

    @Test
    void onlyTheOlderOneIsLeftWhereNewerOnesLostTheSame() throws IOException {
        createAnew(LINES + "REPLICA\n19M @g\n");
        byte[] old = Files.readAllBytes(dir.resolve("g"));
        ObjectPool.at(set).layout("bank").options(PAGES).open().close();
        Files.write(dir.resolve("g"), old);
        lose("b", "e");
        refused(
                "is of a later run",
                "those of later runs can't be put together: they do not have all of it",
                "to go on with that: move the parts of replica 0 away");
    }

    /** Two parts reach as far, and only of one common bytes tell where it lies. */
    @Test
    void aPartThatNothingPlacesIsLeftOutWhereOthersHaveItsBytes() throws IOException {
        createAnew("8M @a\n5M @b\n6M @c\nREPLICA\n4M @d\n3M @e\n7M @f\n5M @g\n");
        for (int at = 26; at < 38; at++) {
            freeObjectsAt(at * (MIB / 2));
        }
        lose("b", "e");
        Run.farheap("sync", set).succeeded();
        Run.farheap("check", set).succeeded();
        Run.farheap("verify", set).succeeded();
    }

    /** No object tells which one it is: each page is in many places, a MiB apart. */
    @Test
    void pagesThatTheyHaveInCommonAreInOtherPlacesToo() throws IOException {
        lose(PARTS.toArray(new String[0]));
        String lines = LINES.replace("5M @b", "6M @b");
        write(lines);
        List<Ref> all = new ArrayList<>();
        try (ObjectPool pool = ObjectPool.at(set).layout("bank").options(PAGES).create()) {
            for (long i = 0; i < OBJECTS; i++) {
                long number = i;
                pool.transaction(
                        tx -> {
                            Ref object = tx.allocate(OBJECT_BYTES, 7);
                            all.add(object);
                            boolean tells = object.offset() > 15L * MIB;
                            for (int at = 0; at < OBJECT_BYTES; at += 512) {
                                tx.setLong(object, at, (tells ? number << 32 : 0) | at);
                            }
                            tx.setRef(pool.root(1024), 16 * number, object);
                        });
            }
            pool.transaction(
                    tx -> {
                        tx.free(all.get(OBJECTS - 1));
                        tx.setRef(pool.root(1024), 16L * (OBJECTS - 1), Ref.NULL);
                    });
        }
        lose("b", "f");
        write(lines.replace("6M @b", "5M @b"));
        refused("which has no bytes in common that tell, can't be placed");
    }

    @Test
    void whoOpensThePoolIsToldThatReplicasMayHaveAllOfItTogether() throws IOException {
        lose("b", "f");
        assertThatThrownBy(() -> ObjectPool.at(set).layout("bank").options(PAGES).open())
                .isInstanceOf(FarheapException.class)
                .hasMessageContainingAll(
                        "farheap sync -d " + set + " says whether the replicas have all of it",
                        "else move all part files away, keep them, and put all files of a"
                                + " backup in place, not single ones")
                .hasMessageNotContaining("put them back");
        Run.farheap("recover", set)
                .failedWith(
                        ExitCode.ENVIRONMENT, "farheap sync -d " + set, "all files of a backup");
    }

    @Test
    void aPlaceThatOnlyLinesTellIsSaid() throws IOException {
        createAnew("8M @a\n5M @b\n6M @c\nREPLICA\n8M @d\n5M @e\n6M @f\n");
        lose("b", "f");
        String said = "part 2 of replica 0 (" + dir.resolve("c") + ") is placed by lines alone";
        assertThat(Run.farheap("sync", "-d", set).succeeded().out()).contains(said);
    }

    @Test
    void aPlaceThatBytesTellIsNotSaid() throws IOException {
        lose("b", "f");
        assertThat(Run.farheap("sync", "-d", set).succeeded().out())
                .doesNotContain("by lines alone");
    }

    /** A recovery needs all parts of one replica, and sync a recovery. */
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
                        "move all part files away, keep them, and put all files of a backup in"
                                + " place, not single ones");

        for (String lost : List.of("b", "f")) {
            Files.write(dir.resolve(lost), sound.get(lost));
        }
        Run.farheap("recover", set).succeeded();
        requireContent();
    }

    /** With the pool open, all files as they are. */
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
