package io.farheap.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** Which pages of a private mapping have been stored to: as the kernel's page map tells. */
final class PrivatePages {
    private static final Path PAGE_MAP = Path.of("/proc/self/pagemap");
    private static final int ENTRIES_AT_ONCE = 4096;
    private static final long PRESENT = 1L << 63;
    private static final long SWAPPED = 1L << 62;
    private static final long OF_THE_FILE = 1L << 61;

    private PrivatePages() {}

    /** Calls {@code action} with the index of each: of every page where no system tells. */
    static void each(MemorySegment image, LongConsumer action) {
        long pages = (image.byteSize() + MappedImage.PAGE - 1) / MappedImage.PAGE;
        if (PortablePersistence.isUsed()) {
            LongStream.range(0, pages).forEach(action);
            return;
        }
        long first = image.address() / MappedImage.PAGE;
        try (NativeFile map = NativeFile.openReadOnly(PAGE_MAP);
                Arena arena = Arena.ofConfined()) {
            MemorySegment entries = arena.allocate(ENTRIES_AT_ONCE * Long.BYTES, Long.BYTES);
            for (long page = 0; page < pages; page += ENTRIES_AT_ONCE) {
                long count = Math.min(ENTRIES_AT_ONCE, pages - page);
                long read =
                        map.read(
                                entries.asSlice(0, count * Long.BYTES),
                                (first + page) * Long.BYTES);
                for (long i = 0; i < count; i++) {
                    // what can't be told counts: to write a page once more costs time alone
                    if (i >= read / Long.BYTES
                            || isPrivate(entries.getAtIndex(ValueLayout.JAVA_LONG, i))) {
                        action.accept(page + i);
                    }
                }
            }
        }
    }

    private static boolean isPrivate(long entry) {
        return (entry & SWAPPED) != 0 || ((entry & PRESENT) != 0 && (entry & OF_THE_FILE) == 0);
    }
}
