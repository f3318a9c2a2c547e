package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Checksum;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the NVDIMMs below a replica's part files say of themselves, as the kernel shows it: how
 * often they lost power without having saved their buffers, and who they are
 * (docs/format.md#shutdown-state). On other storage, which has neither, both are 0; so they are
 * where the firmware does not count.
 *
 * @param unsafeShutdowns sum over the parts of the counts of all modules that a part's region is
 *     interleaved over
 * @param identity sum over the parts of the checksum of these modules' names
 */
record DeviceState(long unsafeShutdowns, long identity) {
    /** Plain storage. */
    static final DeviceState NONE = new DeviceState(0, 0);

    /** Where the kernel shows its devices; another place only in tests. */
    static volatile Path sysfs = Path.of("/sys");

    /**
     * Of the devices below some files, which exist.
     *
     * @throws FarheapException ENVIRONMENT when there is a count and this process may not read it:
     *     then nobody can say whether data was lost
     */
    static DeviceState of(List<Path> parts) {
        DeviceState sum = NONE;
        for (Path part : parts) {
            DeviceState one = of(part);
            sum =
                    new DeviceState(
                            sum.unsafeShutdowns + one.unsafeShutdowns, sum.identity + one.identity);
        }
        return sum;
    }

    private static DeviceState of(Path part) {
        try {
            Path region = regionOf(part);
            return region == null ? NONE : ofRegion(region);
        } catch (IOException | NumberFormatException e) {
            throw FarheapException.environment(
                    e,
                    "Cannot read unsafe shutdown count of the device of %s (%s): whether"
                            + " data was lost in a power failure can't be told; let this user read"
                            + " it, or create pools with sds.at_create=0",
                    part,
                    e);
        }
    }

    /** The kernel's directory of the region that the file's block device is in, or null. */
    private static Path regionOf(Path part) throws IOException {
        if (!Files.isDirectory(sysfs)) {
            return null; // no Linux
        }
        long device = (long) Files.getAttribute(part, "unix:dev");
        long major = (device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL);
        long minor = (device & 0xff) | (device >>> 12 & ~0xffL);
        Path block = sysfs.resolve("dev/block").resolve(major + ":" + minor);
        if (!Files.exists(block)) {
            return null;
        }
        Path at = block.toRealPath();
        while (at != null && at.getFileName() != null) {
            if (at.getFileName().toString().matches("region[0-9]+")) {
                return at;
            }
            at = at.getParent();
        }
        return null;
    }

    private static DeviceState ofRegion(Path region) throws IOException {
        List<Path> mappings;
        try (Stream<Path> files = Files.list(region)) {
            mappings =
                    files.filter(file -> file.getFileName().toString().matches("mapping[0-9]+"))
                            .sorted()
                            .toList();
        }
        long count = 0;
        StringBuilder names = new StringBuilder();
        boolean counts = true;
        for (Path mapping : mappings) {
            String module = text(mapping).split(",", -1)[0];
            Path facts = sysfs.resolve("bus/nd/devices").resolve(module).resolve("nfit");
            Path counter = facts.resolve("dirty_shutdown");
            // Firmware that does not count, or has no names: libpmemobj takes 0 for that, and so
            // must the numbers that both store in the pool.
            counts &= Files.exists(counter);
            count += counts ? Long.parseLong(text(counter)) : 0;
            names.append(Files.exists(facts.resolve("id")) ? text(facts.resolve("id")) : "");
        }
        return new DeviceState(counts ? count : 0, sumOf(names.toString()));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.US_ASCII).strip();
    }

    /** The checksum of a name, padded with 1 to 4 zeros to whole words. */
    private static long sumOf(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        MemorySegment words = MemorySegment.ofArray(new int[bytes.length / 4 + 1]);
        words.asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        return Checksum.of(words, 0, words.byteSize(), Checksum.NO_HOLE, Checksum.NO_SKIP);
    }
}
