package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/**
 * The machines that this package has the kernel's numbers of. Those that differ between them stand
 * here, with the values of Linux's {@code asm/fcntl.h}; those that don't in {@link LibC}.
 */
enum Platform {
    X86_64(List.of("amd64", "x86_64"), 0x10000, 0x20000, 0x4000, true),
    AARCH64(List.of("aarch64"), 0x4000, 0x8000, 0x10000, false);

    private static final Platform CURRENT =
            find(
                            System.getProperty("os.name"),
                            System.getProperty("os.arch"),
                            ByteOrder.nativeOrder())
                    .orElse(null);

    private final List<String> names;
    private final int directoryFlag;
    private final int noFollowFlag;
    private final int directFlag;
    private final boolean alwaysSmallPages;

    Platform(
            List<String> names,
            int directoryFlag,
            int noFollowFlag,
            int directFlag,
            boolean alwaysSmallPages) {
        this.names = names;
        this.directoryFlag = directoryFlag;
        this.noFollowFlag = noFollowFlag;
        this.directFlag = directFlag;
        this.alwaysSmallPages = alwaysSmallPages;
    }

    /** The one that this process runs on; any where no kernel reads its numbers. */
    static Platform current() {
        return CURRENT == null ? X86_64 : CURRENT;
    }

    /**
     * Refuses to call a kernel whose numbers are not here.
     *
     * @throws FarheapException ENVIRONMENT saying so
     */
    static void requireKnown() {
        if (CURRENT == null) {
            throw unsupported(System.getProperty("os.name"), System.getProperty("os.arch"));
        }
    }

    /** Whether every kernel for it has pages of 4 KiB; else each is built for some size. */
    boolean hasAlwaysSmallPages() {
        return alwaysSmallPages;
    }

    /**
     * Refuses a kernel that maps and syncs larger pieces than those that pools are made of.
     *
     * @throws FarheapException ENVIRONMENT saying so
     */
    static void requirePages(long bytes) {
        if (bytes != MappedImage.PAGE) {
            throw FarheapException.environment(
                    "this kernel has pages of %s bytes, and pools are mapped by pages of %s: run"
                            + " the program on a kernel with those, or with %s=yes",
                    bytes, MappedImage.PAGE, PortablePersistence.VARIABLE);
        }
    }

    /**
     * Refuses machines that no pool can be used on, whatever keeps it.
     *
     * @throws FarheapException ENVIRONMENT on a big-endian one
     */
    static void requireLittleEndian() {
        requireLittleEndian(System.getProperty("os.arch"), ByteOrder.nativeOrder());
    }

    static void requireLittleEndian(String machine, ByteOrder order) {
        if (order == ByteOrder.BIG_ENDIAN) {
            throw FarheapException.environment(
                    "%s is a big-endian machine, and pools are little-endian, on the medium and in"
                            + " memory: open the pool on x86_64 or aarch64",
                    machine);
        }
    }

    /** By the names that Java has for system and machine. */
    static Optional<Platform> find(String system, String machine, ByteOrder order) {
        return system.equals("Linux") && order == ByteOrder.LITTLE_ENDIAN
                ? List.of(values()).stream().filter(p -> p.names.contains(machine)).findFirst()
                : Optional.empty();
    }

    static FarheapException unsupported(String system, String machine) {
        return FarheapException.environment(
                "this is %s on %s, and of Linux's system calls only those on x86_64 and aarch64"
                        + " are known: run the program there, or with %s=yes",
                system, machine, PortablePersistence.VARIABLE);
    }

    /** O_DIRECTORY. */
    int directoryFlag() {
        return directoryFlag;
    }

    /** O_NOFOLLOW. */
    int noFollowFlag() {
        return noFollowFlag;
    }

    /** O_DIRECT. */
    int directFlag() {
        return directFlag;
    }
}
