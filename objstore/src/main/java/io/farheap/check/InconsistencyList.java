package io.farheap.check;

import io.farheap.base.CheckReport;
import io.farheap.base.Inconsistency;
import io.farheap.base.Structure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** Collects inconsistencies, a bounded number of them. */
final class InconsistencyList {
    private final List<Inconsistency> kept = new ArrayList<>();
    private long count;

    /** Finds the part file that holds an image offset. */
    private LongFunction<Path> files = offset -> null;

    /** From here on image offsets are those of another replica. */
    void of(LongFunction<Path> fileOfOffset) {
        files = fileOfOffset;
    }

    /** Something wrong at an image offset; the meaning says where. */
    void add(Structure structure, long offset, String meaning) {
        add(structure, files.apply(offset), offset, meaning);
    }

    /** Something wrong at an image offset, which is added to the meaning. */
    void at(Structure structure, long offset, String what) {
        add(
                structure,
                offset,
                what + " (at offset " + Long.toUnsignedString(offset) + " of the pool)");
    }

    void add(Structure structure, Path file, long offset, String meaning) {
        count++;
        if (kept.size() < CheckReport.MAX_KEPT) {
            kept.add(new Inconsistency(structure, file, offset, meaning));
        }
    }

    /** All that another check found. */
    void addAll(CheckReport other) {
        other.inconsistencies()
                .forEach(one -> add(one.structure(), one.file(), one.offset(), one.meaning()));
        count += other.count() - other.inconsistencies().size();
    }

    long count() {
        return count;
    }

    CheckReport report(long objects, long internalObjects) {
        return new CheckReport(kept, count, objects, internalObjects);
    }
}
