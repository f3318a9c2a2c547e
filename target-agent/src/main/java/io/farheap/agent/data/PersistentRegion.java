package io.farheap.agent.data;

import io.farheap.poolset.DaxDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The region of persistent memory that a file lies on, as the kernel's nvdimm driver knows it.
 *
 * @param name of the region, such as {@code region0}, and of the device that lies there as a whole;
 *     "" when the file is on none
 * @param domain what the platform saves at power loss, in the kernel's words: {@code cpu_cache},
 *     {@code memory_controller}; "" when it does not say
 */
record PersistentRegion(String name, String domain) {
    static final PersistentRegion NONE = new PersistentRegion("", "");

    private static final String DOMAIN = "persistence_domain";

    /**
     * @param sysfs the folder where sysfs is mounted
     * @param file one that exists
     */
    static PersistentRegion of(Path sysfs, Path file) {
        try {
            Optional<DaxDevice> whole = DaxDevice.at(sysfs.resolve("dev/char"), file);
            if (whole.isPresent()) {
                PersistentRegion region = above(whole.get().folder());
                String device = "the device " + file.toRealPath().getFileName();
                return region.name.isEmpty()
                        ? new PersistentRegion(device + " of no region", "")
                        : new PersistentRegion(device + " of " + region.name, region.domain);
            }
            long device = (Long) Files.getAttribute(file, "unix:dev");
            return ofDevice(sysfs, major(device) + ":" + minor(device));
        } catch (IOException | UnsupportedOperationException e) {
            return NONE; // what can't be told is no persistent memory: the careful answer
        }
    }

    /**
     * @param device {@code major:minor} of the block device that has the file system
     */
    static PersistentRegion ofDevice(Path sysfs, String device) {
        Path folder;
        try {
            folder = sysfs.resolve("dev/block").resolve(device).toRealPath();
        } catch (IOException e) {
            return NONE; // tmpfs and the like have none
        }
        return above(folder);
    }

    private static PersistentRegion above(Path folder) {
        for (Path each = folder; each != null; each = each.getParent()) {
            String name = String.valueOf(each.getFileName());
            if (name.matches("region[0-9]+")) {
                return new PersistentRegion(name, domainOf(each));
            }
        }
        return NONE;
    }

    /** The kernel shows none where the platform says nothing. */
    private static String domainOf(Path region) {
        try {
            return Files.readString(region.resolve(DOMAIN)).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static long major(long device) {
        return ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    }

    private static long minor(long device) {
        return (device & 0xff) | ((device >>> 12) & ~0xffL & 0xffffffffL);
    }

    /** Whether what left the CPU's caches is safe at power loss. */
    boolean savesMemory() {
        return domain.equals("memory_controller") || savesCaches();
    }

    /** Whether what is in the CPU's caches is. */
    boolean savesCaches() {
        return domain.equals("cpu_cache");
    }

    @Override
    public String toString() {
        if (name.isEmpty()) {
            return "no persistent memory";
        }
        return name + (domain.isEmpty() ? ", which says nothing" : ", which says " + domain);
    }
}
