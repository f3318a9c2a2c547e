package io.farheap.tools.info;

import io.farheap.base.FarheapException;
import io.farheap.memory.FileExtent;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Bytes of a part that its medium can't give back, as far as the kernel knows: of persistent memory
 * and of some disks it keeps a list, which sysfs shows. Nothing is read of the part, and nothing is
 * changed.
 */
final class BadBlocks {
    /** Where the kernel tells of devices. */
    private static final Path SYSTEM = Path.of("/sys");

    private static final long SECTOR = 512;
    private static final String LIST = "badblocks";

    /** A page, less the zero behind it: of a longer list sysfs shows no more. */
    private static final int MOST_SHOWN = 4095;

    private final Path system;
    private final Function<Path, List<FileExtent>> extents;

    /** As this system's kernel tells. */
    BadBlocks() {
        this(SYSTEM, BadBlocks::extents);
    }

    /**
     * @param system {@link #SYSTEM}
     * @param extents where a file's bytes lie
     */
    BadBlocks(Path system, Function<Path, List<FileExtent>> extents) {
        this.system = system;
        this.extents = extents;
    }

    private static List<FileExtent> extents(Path part) {
        try (NativeFile file = NativeFile.openReadOnly(part)) {
            return file.extents();
        }
    }

    /**
     * @param offset in the part
     * @param length in bytes
     */
    record Range(long offset, long length) {}

    /**
     * What is known of one part.
     *
     * @param unknown why nothing is; null: {@code ranges} are all
     */
    record Found(List<Range> ranges, String unknown) {
        private static Found unknown(String why) {
            return new Found(List.of(), why);
        }
    }

    /** A list that has no number where one belongs, or is of no use for another reason. */
    private static final class Untold extends Exception {
        private static final long serialVersionUID = 1;

        Untold(String why) {
            super(why);
        }
    }

    /** Of a part that is there. */
    Found of(Path part) {
        try {
            return new Found(ofFile(part), null);
        } catch (AccessDeniedException e) {
            return Found.unknown("this user may not read " + e.getFile());
        } catch (NoSuchFileException e) {
            return Found.unknown("there is no " + e.getFile());
        } catch (IOException e) {
            return Found.unknown(e.toString());
        } catch (Untold e) {
            return Found.unknown(e.getMessage());
        }
    }

    // ---- files ----

    private List<Range> ofFile(Path part) throws IOException, Untold {
        Path device = blockDevice(part);
        if (Files.exists(device.resolve("loop/backing_file"))) {
            throw new Untold("its file system is on " + device.getFileName() + ", which is a file");
        }
        Path disk = device;
        long start = 0;
        if (Files.exists(device.resolve("partition"))) {
            disk = device.getParent();
            start = number(device.resolve("start")) * SECTOR;
        }
        List<Range> bad = list(disk);
        if (bad.isEmpty()) {
            return bad;
        }
        List<FileExtent> places;
        try {
            places = extents.apply(part);
        } catch (FarheapException e) {
            throw new Untold(
                    disk.getFileName()
                            + " has bad blocks; whether this file has them: "
                            + e.getMessage());
        }
        List<Range> found = new ArrayList<>();
        for (FileExtent extent : places) {
            Range own = new Range(start + extent.place(), extent.length());
            bad.forEach(each -> addCommon(own, each, extent.offset(), found));
        }
        return List.copyOf(found);
    }

    private Path blockDevice(Path part) throws IOException, Untold {
        if (!Files.isDirectory(system.resolve("dev/block"))) {
            throw new Untold("this system does not tell");
        }
        long number = ((Number) Files.getAttribute(part, "unix:dev")).longValue();
        long major = number >>> 8 & 0xFFF;
        long minor = number & 0xFF | number >>> 12 & 0xFFF00;
        Path link = system.resolve("dev/block").resolve(major + ":" + minor);
        if (!Files.exists(link)) {
            throw new Untold("its file system is not on one block device");
        }
        Path device = link.toRealPath();
        Path lower = device.resolve("slaves");
        if (Files.isDirectory(lower)) {
            try (Stream<Path> devices = Files.list(lower)) {
                List<String> names =
                        devices.map(each -> each.getFileName().toString()).sorted().toList();
                if (!names.isEmpty()) {
                    throw new Untold(
                            "its file system is on "
                                    + device.getFileName()
                                    + ", which lies on other devices: "
                                    + String.join(", ", names));
                }
            }
        }
        return device;
    }

    // ---- lists ----

    /** Where both are, counted from what {@code offset} is at the begin of {@code own}. */
    private static void addCommon(Range own, Range bad, long offset, List<Range> found) {
        long begin = Math.max(own.offset(), bad.offset());
        long end = Math.min(own.offset() + own.length(), bad.offset() + bad.length());
        if (begin < end) {
            found.add(new Range(offset + begin - own.offset(), end - begin));
        }
    }

    /**
     * Lines with a sector and a number of sectors; nothing where there are none, and an empty line
     * where the kernel keeps no list.
     */
    private static List<Range> list(Path device) throws IOException, Untold {
        Path file = device.resolve(LIST);
        if (!Files.exists(file)) {
            throw new Untold("the kernel has no list for " + device.getFileName());
        }
        String lines = Files.readString(file);
        if (!lines.isEmpty() && lines.isBlank()) {
            throw new Untold("the kernel has no list for " + device.getFileName());
        }
        if (lines.length() >= MOST_SHOWN || !lines.isEmpty() && !lines.endsWith("\n")) {
            throw new Untold(device.getFileName() + " has more bad blocks than the kernel shows");
        }
        List<Range> bad = new ArrayList<>();
        for (String line : lines.lines().toList()) {
            String[] words = line.strip().split("\\s+", -1);
            if (words.length != 2) {
                throw new Untold(file + " has a line that is not known: " + line);
            }
            bad.add(new Range(number(file, words[0]) * SECTOR, number(file, words[1]) * SECTOR));
        }
        return bad;
    }

    private static long number(Path file) throws IOException, Untold {
        return number(file, Files.readString(file).strip());
    }

    private static long number(Path file, String text) throws Untold {
        try {
            return Long.decode(text);
        } catch (NumberFormatException e) {
            throw new Untold(file + " holds no number but '" + text + "'");
        }
    }
}
