package io.farheap.tools.info;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.memory.FileExtent;
import io.farheap.tools.info.BadBlocks.Found;
import io.farheap.tools.info.BadBlocks.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which bytes of a part are bad, on a machine whose sysfs says what it is told to. */
class BadBlocksTest {
    private static final long MIB = 1 << 20;

    @TempDir private Path directory;
    private Path system;
    private Path part;
    private Path disk;

    /** A part in two pieces: its first MiB at 4 MiB of the device, its second at 16 MiB. */
    private List<FileExtent> extents =
            List.of(new FileExtent(0, 4 * MIB, MIB), new FileExtent(MIB, 16 * MIB, MIB));

    @BeforeEach
    void aDisk() throws IOException {
        system = directory.resolve("sys");
        part = Files.write(directory.resolve("part0"), new byte[1]);
        disk = Files.createDirectories(system.resolve("devices/pci/block/pmem0"));
        list("");
        link(disk);
    }

    private void list(String text) throws IOException {
        Files.writeString(disk.resolve("badblocks"), text);
    }

    /** The device of the part's file system is this one. */
    private void link(Path device) throws IOException {
        long number = (long) Files.getAttribute(part, "unix:dev");
        Path links = Files.createDirectories(system.resolve("dev/block"));
        Path link =
                links.resolve(
                        (number >>> 8 & 0xFFF) + ":" + (number & 0xFF | number >>> 12 & 0xFFF00));
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, device);
    }

    private Found look() {
        return new BadBlocks(system, file -> extents).of(part);
    }

    private void assertUnknown(String why) {
        Found found = look();
        assertThat(found.ranges()).isEmpty();
        assertThat(found.unknown()).contains(why);
    }

    @Test
    void aDiskWithoutBadBlocksNeedsNoExtents() {
        Found found =
                new BadBlocks(
                                system,
                                file -> {
                                    throw new AssertionError("asked");
                                })
                        .of(part);
        assertThat(found).isEqualTo(new Found(List.of(), null));
    }

    @Test
    void thoseOfTheFileAreToldByTheirOffsetsInIt() throws IOException {
        long sectors = MIB / 512;
        list(
                "0 8\n"
                        + (4 * sectors - 1)
                        + " 2\n" // the last sector before it, and its first
                        + (4 * sectors + 100)
                        + " 3\n"
                        + (5 * sectors - 1)
                        + " 1\n"
                        + 5 * sectors
                        + " 1\n" // behind its first piece
                        + (16 * sectors + 8)
                        + " 8\n"
                        + (17 * sectors)
                        + " 9\n");
        assertThat(look())
                .isEqualTo(
                        new Found(
                                List.of(
                                        new Range(0, 512),
                                        new Range(100 * 512, 3 * 512),
                                        new Range(MIB - 512, 512),
                                        new Range(MIB + 8 * 512, 8 * 512)),
                                null));
    }

    @Test
    void aPartitionsBytesBeginWhereItDoes() throws IOException {
        Path partition = Files.createDirectories(disk.resolve("pmem0p1"));
        Files.writeString(partition.resolve("partition"), "1\n");
        Files.writeString(partition.resolve("start"), "2048\n");
        link(partition);
        list((4 * MIB / 512) + " 1\n" + (2048 + 4 * MIB / 512 + 5) + " 1\n");
        assertThat(look()).isEqualTo(new Found(List.of(new Range(5 * 512, 512)), null));
    }

    @Test
    void whatIsNotKnownIsNotSaidToBeGood() throws IOException {
        list("12 many\n");
        assertUnknown("badblocks holds no number but 'many'");
        list("12\n");
        assertUnknown("has a line that is not known: 12");
        Files.delete(disk.resolve("badblocks"));
        assertUnknown("the kernel has no list for pmem0");

        Files.createDirectories(disk.resolve("slaves/sda"));
        Files.createDirectories(disk.resolve("slaves/sdb"));
        list("");
        assertUnknown("on pmem0, which lies on other devices: sda, sdb");

        Files.delete(disk.resolve("slaves/sda"));
        Files.delete(disk.resolve("slaves/sdb"));
        assertThat(look().unknown()).as("an empty folder is an ordinary disk's").isNull();

        link(directory.resolve("nowhere"));
        assertUnknown("not on one block device");
        Files.delete(part);
        assertUnknown("there is no " + part);
        system = directory.resolve("elsewhere");
        assertUnknown("this system does not tell");
    }

    @Test
    void anEmptyLineIsNoList() throws IOException {
        list("\n");
        assertUnknown("the kernel has no list for pmem0");
    }

    @Test
    void aListThatTheKernelCutIsNotTakenForAll() throws IOException {
        list("8 1\n16 1");
        assertUnknown("more bad blocks than the kernel shows");
        list("100000000 8\n".repeat(342).substring(0, 4095));
        assertUnknown("more bad blocks than the kernel shows");
    }

    @Test
    void aFileThatIsADiskIsNotKnown() throws IOException {
        Files.writeString(
                Files.createDirectories(disk.resolve("loop")).resolve("backing_file"), "x");
        assertUnknown("on pmem0, which is a file");
    }

    @Test
    void aFileSystemThatHidesPlacesIsNoReasonToHideBadBlocks() throws IOException {
        list("8 1\n");
        Found found =
                new BadBlocks(
                                system,
                                file -> {
                                    throw FarheapException.environment("not here");
                                })
                        .of(part);
        assertThat(found.unknown())
                .isEqualTo("pmem0 has bad blocks; whether this file has them: not here");
    }
}
