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
    X86_64(List.of("amd64", "x86_64"), 0x10000, 0x20000, 0x4000),
    AARCH64(List.of("aarch64"), 0x4000, 0x8000, 0x10000);

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

    Platform(List<String> names, int directoryFlag, int noFollowFlag, int directFlag) {
        this.names = names;
        this.directoryFlag = directoryFlag;
        this.noFollowFlag = noFollowFlag;
        this.directFlag = directFlag;
    }

    /**
     * The one that this process runs on.
     *
     * @throws FarheapException ENVIRONMENT on any other
     */
    static Platform current() {
        if (CURRENT == null) {
            throw unsupported(System.getProperty("os.name"), System.getProperty("os.arch"));
        }
        return CURRENT;
    }

    /** By the names that Java has for system and machine. */
    static Optional<Platform> find(String system, String machine, ByteOrder order) {
        return system.equals("Linux") && order == ByteOrder.LITTLE_ENDIAN
                ? List.of(values()).stream().filter(p -> p.names.contains(machine)).findFirst()
                : Optional.empty();
    }

    static FarheapException unsupported(String system, String machine) {
        return FarheapException.environment(
                "this is %s on %s, and pools can be used on 64-bit little-endian Linux"
                        + " on x86_64 and aarch64 only: run the program there",
                system, machine);
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
