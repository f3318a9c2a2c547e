package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PartInspection.Condition;
import io.farheap.pool.PoolRestoration.Range;
import io.farheap.poolset.PoolSet;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.FailingCalls.Call;
import io.farheap.testing.GoldenVectors;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts are found lost, and come back: on pools that the C library made. */
class PoolRestorationTest {
    private static final int EACCES = 13;

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "set-replica, set-replica.part1, set-replica.part1",
        "set-replica, set-replica.part0, set-replica.part0",
        "set-replica, set-replica.rep1.part0, set-replica.rep1.part0",
        "set-replica, set-replica.part0, set-replica.part2",
        "set-singlehdr, set-singlehdr.part0, set-singlehdr.part1",
        "set-singlehdr, set-singlehdr.rep1.part1, set-singlehdr.rep1.part1",
    })
    void lostPartsComeBackWithTheirUuids(String name, String missing, String other)
            throws IOException {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        List<String> lost = Stream.of(missing, other).distinct().toList();
        byte[][] before = new byte[lost.size()][];
        for (int i = 0; i < lost.size(); i++) {
            before[i] = Files.readAllBytes(directory.resolve(lost.get(i)));
            Files.deleteIfExists(directory.resolve(lost.get(i)));
        }

        restore(set);

        PoolFiles.open(PoolSource.of(vector.pool())).close();
        for (int i = 0; i < lost.size(); i++) {
            byte[] restored = Files.readAllBytes(directory.resolve(lost.get(i)));
            assertThat(restored).hasSameSizeAs(before[i]);
            if (set.hasHeader(1) || lost.get(i).endsWith("part0")) {
                assertThat(header(restored).uuid()).isEqualTo(header(before[i]).uuid());
                assertThat(header(restored).links()).isEqualTo(header(before[i]).links());
            }
        }
        assertThat(filesIn(directory)).noneMatch(file -> file.contains("restoring"));
    }

    @Test
    void aWholeReplicaComesBack() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        for (int i = 0; i < 3; i++) {
            Files.delete(directory.resolve("set-replica.part" + i));
        }

        restore(set);

        assertThat(PoolInspection.of(set).lost()).isEmpty();
        PoolFiles.open(PoolSource.of(vector.pool())).close();
    }

    @Test
    void aDamagedHeaderOrDescriptorCountsAsLostAndIsReplaced() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        overwrite("set-replica.part1", 100, 1);
        overwrite("set-replica.rep1.part0", 4096, 0x77);

        // No replica is healthy as a whole, so there is nothing to copy from.
        PoolInspection inspection = PoolInspection.of(set);
        assertThat(inspection.firstHealthy()).isEqualTo(-1);
        assertThat(inspection.lost())
                .extracting(PartInspection::problem)
                .satisfiesExactly(
                        text -> assertThat(text).contains("part1: invalid checksum of pool header"),
                        text -> assertThat(text).contains("invalid checksum of pool descriptor"));

        overwrite("set-replica.rep1.part0", 4096, 's');
        assertThat(PoolInspection.of(set).firstHealthy()).isEqualTo(1);
        restore(set);
        PoolFiles.open(PoolSource.of(vector.pool())).close();
    }

    @Test
    void aRestorationThatIsNotCompletedChangesNothing() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        overwrite("set-replica.part1", 100, 1);
        byte[] before = Files.readAllBytes(directory.resolve("set-replica.part1"));
        PoolInspection inspection = PoolInspection.of(set);

        try (PoolRestoration restoration =
                PoolRestoration.begin(inspection, inspection.anyHeader())) {
            copy(restoration, 1);
        }

        assertThat(Files.readAllBytes(directory.resolve("set-replica.part1"))).isEqualTo(before);
        assertThat(filesIn(directory)).noneMatch(file -> file.contains("restoring"));
    }

    @Test
    void whatAKilledRestorationLeftIsReplaced() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path lost = directory.resolve("set-replica.part2");
        Files.delete(lost);
        Files.write(directory.resolve("set-replica.part2.farheap-restoring"), new byte[77]);

        restore(set);

        PoolFiles.open(PoolSource.of(vector.pool())).close();
        assertThat(filesIn(directory)).noneMatch(file -> file.contains("restoring"));
    }

    @Test
    void aWholeCopyThatAKilledRestorationLeftIsKeptUntilThePoolIsWhole() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path first = directory.resolve("set-replica.part0");
        PoolHeader header = header(Files.readAllBytes(first));
        for (Path part : vector.parts()) {
            Files.move(part, RestorationLeftovers.unfinished(part));
        }
        byte[] copy = Files.readAllBytes(RestorationLeftovers.unfinished(first));

        PoolInspection lost = PoolInspection.of(set);
        assertThat(RestorationLeftovers.commandsForWholeCopy(lost))
                .as("of one replica")
                .hasSize(3)
                .allMatch(command -> command.startsWith("mv -n "));
        for (int cut = 0; cut < 2; cut++) {
            PoolRestoration.beginAnew(PoolInspection.of(set), header).close();
            assertThat(Files.readAllBytes(RestorationLeftovers.kept(first))).isEqualTo(copy);
            assertThat(filesIn(directory)).hasSize(6).noneMatch(file -> file.contains("restoring"));
        }
        assertThat(RestorationLeftovers.outlived(PoolInspection.of(set))).isEmpty();

        for (Path part : vector.parts()) {
            Files.copy(RestorationLeftovers.kept(part), part);
        }
        RestorationLeftovers.removeOutlived(PoolInspection.of(set));
        assertThat(filesIn(directory)).hasSize(6).noneMatch(file -> file.contains("farheap"));
    }

    @Test
    void newPartsStayWhereOneCannotBePutInItsPlaceAfterOldOnesWent() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        PoolHeader header = header(Files.readAllBytes(directory.resolve("set-replica.part0")));
        try (FailingCalls disk = FailingCalls.under(directory);
                PoolRestoration restoration =
                        PoolRestoration.beginAnew(PoolInspection.of(set), header)) {
            disk.failAll(Call.RENAME, FailingCalls.EIO);
            assertThat(refusal(restoration::complete)).hasMessageContaining("set-replica.part2");
        }

        assertThat(directory.resolve("set-replica.part0")).doesNotExist();
        assertThat(vector.parts()).map(RestorationLeftovers::unfinished).allMatch(Files::exists);
    }

    @Test
    void thePlaceOfAFirstPartIsHeldUntilTheNewOneIsInIt() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        PoolHeader header = headerOfALostPool(vector);
        try (FailingCalls disk = FailingCalls.under(directory);
                PoolRestoration restoration =
                        PoolRestoration.beginAnew(PoolInspection.of(set), header)) {
            disk.failAll(Call.RENAME, FailingCalls.EIO);
            assertThat(refusal(restoration::complete)).hasMessageContaining("set-replica.part2");
            assertThat(vector.parts()).allMatch(place -> place.toFile().exists());
            assertThat(directory.resolve("set-replica.part0")).isEmptyFile();
        }

        assertThat(vector.parts()).noneMatch(Files::exists);
        assertThat(vector.parts()).map(RestorationLeftovers::unfinished).allMatch(Files::exists);
    }

    @Test
    void aLeftoverThatCannotBeOpenedIsInTheWayOnlyWhileSomebodyHasIt() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path left = RestorationLeftovers.unfinished(vector.parts().get(0));
        try (NativeFile file = NativeFile.create(left)) {
            file.lock();
            assumeThat(NativeFile.lockedBy(left)).as("the system tells who").isPresent();
            try (FailingCalls disk = FailingCalls.under(directory)) {
                disk.failAll(Call.OPEN, EACCES);
                assertThat(refusal(() -> RestorationLeftovers.requireNoneUnderWay(set)))
                        .hasMessageContaining("is being restored by this process, which makes")
                        .hasMessageContaining(left.toString());
            }
        }

        try (FailingCalls disk = FailingCalls.under(directory)) {
            disk.failAll(Call.OPEN, EACCES);
            assertThatCode(() -> RestorationLeftovers.requireNoneUnderWay(set))
                    .doesNotThrowAnyException();
        }
    }

    private PoolHeader headerOfALostPool(GoldenVectors vector) throws IOException {
        PoolHeader header = header(Files.readAllBytes(directory.resolve("set-replica.part0")));
        for (Path part : vector.parts()) {
            Files.delete(part);
        }
        return header;
    }

    private static PoolFiles create(GoldenVectors vector) {
        return PoolFiles.create(
                PoolSource.of(vector.pool()), CreateOptions.withLayout("new"), memory -> {});
    }

    @Test
    void noPoolIsMadeWhereOneIsBeingRestored() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        PoolHeader header = headerOfALostPool(vector);
        try (PoolRestoration restoration =
                PoolRestoration.beginAnew(PoolInspection.of(set), header)) {
            assertThat(refusal(() -> create(vector)))
                    .hasMessageContaining("is being restored by this process")
                    .hasMessageContaining("wait until that has ended");
            assertThat(vector.parts()).noneMatch(Files::exists);
            restoration.complete();
        }

        assertThat(vector.parts()).allMatch(Files::exists);
        assertThat(filesIn(directory)).hasSize(6);
    }

    @Test
    void aPoolThatWasMadeSinceTheInspectionIsNotReplaced() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        PoolHeader header = headerOfALostPool(vector);
        PoolInspection inspection = PoolInspection.of(set);

        try (PoolFiles made = create(vector)) {
            assertThat(refusal(() -> PoolRestoration.beginAnew(inspection, header)))
                    .hasMessageContaining("was made by somebody else since")
                    .hasMessageContaining("nothing was changed");
            assertThat(filesIn(directory)).hasSize(6);
        }
        PoolFiles.open(PoolSource.of(vector.pool()), "new", ContentCheck.NONE).close();
    }

    /** By one who does not look for a restoration: cp, a C program. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aFileThatCameIntoALostPartsPlaceMeanwhileStays(boolean anew) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        PoolHeader header = headerOfALostPool(vector);
        Path place = directory.resolve("set-replica.part1");
        PoolInspection inspection = PoolInspection.of(set);

        try (PoolRestoration restoration =
                anew
                        ? PoolRestoration.beginAnew(inspection, header)
                        : PoolRestoration.begin(inspection, header)) {
            Files.writeString(place, "somebody's");
            assertThat(refusal(restoration::complete))
                    .hasMessageContaining(place + " was made by somebody else");
        }

        assertThat(place).hasContent("somebody's");
        assertThat(filesIn(directory)).containsExactly("set-replica.part1", "set-replica.set");
    }

    /** The question was about other commits than those. */
    @ParameterizedTest
    @CsvSource({"set-replica.part0", "set-replica.rep1.part0"})
    void whatWasWrittenSinceItWasInspectedIsNotReplaced(String name) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path part = directory.resolve(name);
        PoolHeader header = header(Files.readAllBytes(directory.resolve("set-replica.part0")));
        PoolInspection inspection = PoolInspection.of(set);
        FileTime time = Files.getLastModifiedTime(part);
        overwrite(name, Descriptor.RUN_ID, 4);
        Files.setLastModifiedTime(part, time); // as where a mapping is stored to in memory
        byte[] newer = Files.readAllBytes(part);

        assertThat(refusal(() -> PoolRestoration.beginAnew(inspection, header)))
                .hasMessageContaining(part + " was written, removed or replaced since");

        assertThat(Files.readAllBytes(part)).isEqualTo(newer);
        assertThat(filesIn(directory)).hasSize(6);
    }

    @Test
    void anEmptyFileThatHeldAPlaceForARestorationThatWasCutIsNoPart() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path first = directory.resolve("set-replica.part0");
        PoolHeader header = header(Files.readAllBytes(first));
        for (Path part : vector.parts()) {
            Files.move(part, RestorationLeftovers.unfinished(part));
            Files.createFile(part);
        }
        PoolInspection lost = PoolInspection.of(set);

        assertThat(lost.isAbsent()).isTrue();
        Path left = RestorationLeftovers.unfinished(first);
        assertThat(RestorationLeftovers.commandsForWholeCopy(lost))
                .hasSize(3)
                .contains("test -s " + first + " || mv " + left + " " + first);
        PoolRestoration.beginAnew(lost, header).close(); // cut before anything was in its place
        PoolInspection again = PoolInspection.of(set);
        assertThat(RestorationLeftovers.kept(first)).as("the whole copy").isNotEmptyFile();
        assertThat(again.isAbsent()).isTrue();
        try (PoolRestoration restoration = PoolRestoration.beginAnew(again, header)) {
            restoration.complete();
        }
        assertThat(vector.parts()).allMatch(part -> part.toFile().length() > 0);
        assertThat(RestorationLeftovers.kept(first)).as("the whole copy").isNotEmptyFile();

        Files.write(first, new byte[0]);
        Files.delete(RestorationLeftovers.kept(first));
        assertThat(PoolInspection.of(set).replicas().get(0).get(0).condition())
                .as("without what a restoration has left it is a damage")
                .isEqualTo(Condition.BROKEN);
    }

    /** Wherever the one that made room was cut, the next one has all of the copy. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void aCutWhileACopyGivesWayLosesNothingOfIt(int moved) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        PoolHeader header = header(Files.readAllBytes(directory.resolve("set-replica.part0")));
        for (Path part : vector.parts()) {
            Files.move(part, RestorationLeftovers.unfinished(part));
        }
        for (int part = 2; part > 2 - moved; part--) {
            Path path = directory.resolve("set-replica.part" + part);
            Files.move(RestorationLeftovers.unfinished(path), RestorationLeftovers.kept(path));
        }

        PoolRestoration.beginAnew(PoolInspection.of(set), header).close();

        assertThat(filesIn(directory)).hasSize(6).noneMatch(file -> file.contains("restoring"));
        assertThat(RestorationLeftovers.commandsForWholeCopy(PoolInspection.of(set))).hasSize(3);
    }

    @Test
    void aLeftoverOneOfWhoseHeadersWasNotWrittenIsNoCopy() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        for (Path part : vector.parts()) {
            Files.move(part, RestorationLeftovers.unfinished(part));
        }
        overwrite("set-replica.part1.farheap-restoring", 0, 1);
        overwrite("set-replica.rep1.part0.farheap-restoring", 0, 1);

        PoolInspection lost = PoolInspection.of(set);
        assertThat(RestorationLeftovers.commandsForWholeCopy(lost)).isEmpty();
        assertThat(RestorationLeftovers.areWhole(set, lost.replicas().get(0))).isFalse();
    }

    @Test
    void ofTwoCopiesThatMayBeTheLastNoneGoes() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        PoolHeader header = header(Files.readAllBytes(directory.resolve("set-replica.part0")));
        for (Path part : vector.parts()) {
            Files.copy(part, RestorationLeftovers.kept(part));
        }
        Path first = directory.resolve("set-replica.part0");
        Files.move(first, RestorationLeftovers.unfinished(first));

        assertThat(refusal(() -> PoolRestoration.beginAnew(PoolInspection.of(set), header)))
                .hasMessageContaining("either may be the last one");
        assertThat(filesIn(directory)).hasSize(11);
    }

    @Test
    void everythingComesBackFromAHeaderAndAnImageOfElsewhere() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        byte[] elsewhere;
        PoolHeader header;
        long poolId;
        try (PoolFiles files = PoolFiles.open(PoolSource.of(vector.pool()))) {
            elsewhere = files.memory().image().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            header = new PoolHeader(files.headerTemplate());
            poolId = files.poolId();
        }
        for (Path part : vector.parts()) {
            Files.delete(part);
        }
        assertThat(filesIn(directory)).containsExactly("set-replica.set");

        try (PoolRestoration restoration = PoolRestoration.begin(PoolInspection.of(set), header)) {
            for (Range range : restoration.ranges()) {
                restoration.copyIn(
                        range.replica(),
                        range.offset(),
                        MemorySegment.ofArray(elsewhere).asSlice(range.offset(), range.length()));
            }
            restoration.complete();
        }

        try (PoolFiles files =
                PoolFiles.open(PoolSource.of(vector.pool()), "set", ContentCheck.NONE)) {
            assertThat(files.poolId()).isEqualTo(poolId);
            assertThat(
                            MemorySegment.mismatch(
                                    files.memory().image(),
                                    8192,
                                    elsewhere.length,
                                    MemorySegment.ofArray(elsewhere),
                                    8192,
                                    elsewhere.length))
                    .isEqualTo(-1);
        }
    }

    @Test
    void aCopyOfElsewhereReplacesHealthyPartsToo() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        byte[] elsewhere;
        PoolHeader header;
        try (PoolFiles files = PoolFiles.open(PoolSource.of(vector.pool()))) {
            elsewhere = files.memory().image().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            header = new PoolHeader(files.headerTemplate());
        }
        int changed = elsewhere.length - 100;
        elsewhere[changed] ^= 1;
        Files.delete(directory.resolve("set-replica.part1"));
        Files.setPosixFilePermissions(
                directory.resolve("set-replica.part0"),
                java.nio.file.attribute.PosixFilePermissions.fromString("rw-r-----"));

        try (PoolRestoration restoration =
                PoolRestoration.beginAnew(PoolInspection.of(set), header)) {
            for (int r = 0; r < 2; r++) {
                restoration
                        .newImage(r)
                        .copyIn(4096, MemorySegment.ofArray(elsewhere), 4096, changed + 100 - 4096);
            }
            restoration.makeDurable();
            restoration.complete();
        }

        try (PoolFiles files =
                PoolFiles.open(PoolSource.of(vector.pool()), "set", ContentCheck.NONE)) {
            for (MemorySegment image : files.localImages()) {
                assertThat(image.get(java.lang.foreign.ValueLayout.JAVA_BYTE, changed))
                        .isEqualTo(elsewhere[changed]);
            }
        }
        assertThat(Files.getPosixFilePermissions(directory.resolve("set-replica.rep1.part0")))
                .hasToString("[OWNER_READ, OWNER_WRITE, GROUP_READ]");
        assertThat(filesIn(directory)).hasSize(6).noneMatch(file -> file.contains("restoring"));
    }

    @Test
    void healthyPartsAreNotWritten() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Files.delete(directory.resolve("set-replica.part1"));
        PoolInspection inspection = PoolInspection.of(set);

        try (PoolRestoration restoration =
                PoolRestoration.begin(inspection, inspection.anyHeader())) {
            assertThatThrownBy(
                            () -> restoration.copyIn(0, 8192, MemorySegment.ofArray(new byte[8])))
                    .hasMessageContaining("not in one lost part");
            assertThatThrownBy(
                            () ->
                                    restoration.copyIn(
                                            1, 9 << 20, MemorySegment.ofArray(new byte[8])))
                    .hasMessageContaining("not in one lost part");
        }
    }

    @Test
    void aPoolInUseIsSeenAndNotRestored() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        try (PoolFiles files = PoolFiles.open(PoolSource.of(vector.pool()))) {
            PoolInspection inspection = PoolInspection.of(set);

            assertThat(inspection.inUse()).hasSize(5);
            assertThat(inspection.lost()).isEmpty();
            PoolHeader template = new PoolHeader(files.headerTemplate());
            assertThat(refusal(() -> PoolRestoration.begin(inspection, template)))
                    .hasMessageContaining("in use by this process");
        }
        assertThat(filesIn(directory)).hasSize(6);
    }

    @Test
    void whatIsThereAndCannotBeReadIsNeitherLostNorRestored() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path loop = directory.resolve("set-replica.part1");
        Files.delete(loop);
        Files.createSymbolicLink(loop, loop);
        Path nested = directory.resolve("set-replica.part2");
        Files.delete(nested);
        Files.createDirectory(nested);

        PoolInspection inspection = PoolInspection.of(set);

        assertThat(inspection.lost()).isEmpty();
        assertThat(inspection.isHealthy(0)).isFalse();
        PartInspection first = inspection.replicas().get(0).get(1);
        assertThat(first.condition()).isEqualTo(Condition.UNREADABLE);
        assertThat(first.problem()).startsWith(loop + " cannot be read: Too many levels");
        PartInspection second = inspection.replicas().get(0).get(2);
        assertThat(second.condition()).isEqualTo(Condition.UNREADABLE);
        assertThat(second.problem()).contains("it is not a regular file");
        PoolHeader header = inspection.anyHeader();
        FarheapException refused = refusal(() -> PoolRestoration.begin(inspection, header));
        assertThat(refused.category()).isEqualTo(FarheapException.Category.ENVIRONMENT);
        assertThat(refused).hasMessageContaining("Too many levels");
        assertThat(refusal(() -> PoolRestoration.beginAnew(inspection, header)).category())
                .isEqualTo(FarheapException.Category.ENVIRONMENT);
        assertThat(loop).isSymbolicLink();
        assertThat(nested).isDirectory();
    }

    @Test
    void partsOfAnotherPoolAreAConflict() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path foreign = directory.resolve("foreign");
        PoolFiles.create(
                        PoolSource.newFile(foreign, 8 << 20),
                        CreateOptions.withLayout(""),
                        memory -> {})
                .close();
        Files.move(
                foreign,
                directory.resolve("set-replica.part1"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);

        PoolInspection inspection = PoolInspection.of(set);

        assertThat(inspection.conflict()).contains("set-replica.part1: different poolset uuids");
        assertThat(refusal(() -> PoolRestoration.begin(inspection, inspection.anyHeader())))
                .hasMessageContaining("cannot restore");
    }

    @Test
    void partsInAnotherOrderAreAConflict() throws IOException {
        GoldenVectors vector = GoldenVectors.unpack("set-replica", directory);
        PoolSet set = PoolSource.of(vector.pool()).existing();
        Path first = directory.resolve("set-replica.part0");
        Path second = directory.resolve("set-replica.part1");
        byte[] content = Files.readAllBytes(first);
        Files.write(first, Files.readAllBytes(second));
        Files.write(second, content);

        PoolInspection inspection = PoolInspection.of(set);

        assertThat(inspection.replicas().get(0).get(0).condition())
                .as("no descriptor where it should be")
                .isEqualTo(Condition.BROKEN);
        assertThat(inspection.conflict()).contains("wrong part UUID");
    }

    @Test
    void aReplicaThatThePoolNeverHadIsNotInvented() throws IOException {
        Path pool = directory.resolve("p0");
        PoolFiles.create(
                        PoolSource.newFile(pool, 8 << 20),
                        CreateOptions.withLayout(""),
                        memory -> {})
                .close();
        Path file = directory.resolve("pool.set");
        Files.writeString(file, "PMEMPOOLSET\n8M " + pool + "\nREPLICA\n8M " + directory + "/r0\n");
        PoolInspection inspection = PoolInspection.of(PoolSource.of(file).existing());

        assertThat(refusal(() -> PoolRestoration.begin(inspection, inspection.anyHeader())))
                .hasMessageContaining("the REPLICA line of " + directory + "/r0 is new");

        assertThat(filesIn(directory)).containsExactly("p0", "pool.set");
    }

    @Test
    void healthyPoolsHaveNothingToRestore() {
        for (String name : List.of("set-replica", "set-singlehdr", "set-crash", "root")) {
            GoldenVectors vector = GoldenVectors.unpack(name, directory);

            PoolInspection inspection = PoolInspection.of(PoolSource.of(vector.pool()).existing());

            assertThat(inspection.lost()).as(name).isEmpty();
            assertThat(inspection.conflict()).as(name).isNull();
            assertThat(inspection.firstHealthy()).as(name).isZero();
        }
    }

    private static void restore(PoolSet set) {
        PoolInspection inspection = PoolInspection.of(set);
        assertThat(inspection.conflict()).isNull();
        try (PoolRestoration restoration =
                PoolRestoration.begin(inspection, inspection.anyHeader())) {
            copy(restoration, inspection.firstHealthy());
            restoration.complete();
        }
    }

    private static void copy(PoolRestoration restoration, int source) {
        for (Range range : restoration.ranges()) {
            MemorySegment piece = restoration.image(source).asSlice(range.offset(), range.length());
            restoration.copyIn(range.replica(), range.offset(), piece);
        }
    }

    private static PoolHeader header(byte[] part) {
        return new PoolHeader(MemorySegment.ofArray(Arrays.copyOf(part, 4096)));
    }

    private void overwrite(String part, long offset, int value) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(directory.resolve(part).toFile(), "rw")) {
            file.seek(offset);
            file.write(value);
        }
    }

    private static List<String> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".portable-lock"))
                    .sorted()
                    .toList();
        }
    }

    private static FarheapException refusal(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        FarheapException e = catchThrowableOfType(FarheapException.class, call);
        assertThat(e).as("a refusal").isNotNull();
        return e;
    }
}
