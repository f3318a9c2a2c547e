package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.objects.ReclaimReport.OfType;
import io.farheap.objects.type.Reclaim;
import io.farheap.objects.type.TypeDescriptor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Runs {@link Reclaim} on a heap, and says by name what it found. */
final class Reclaiming {
    private Reclaiming() {}

    static ReclaimReport run(ObjectPool pool, ObjectSpace space, boolean isDryRun) {
        List<OfType> types = new ArrayList<>();
        synchronized (space) { // two at a time would free one place twice
            new Reclaim(pool, space.transactions(), space.stored())
                    .run(isDryRun)
                    .forEach(
                            (number, figures) ->
                                    types.add(
                                            new OfType(
                                                    name(space, number), figures[0], figures[1])));
        }
        types.sort(
                Comparator.comparingLong((OfType one) -> -one.bytes()).thenComparing(OfType::type));
        return new ReclaimReport(types, !isDryRun);
    }

    private static String name(ObjectSpace space, long typeNumber) {
        TypeDescriptor type = space.stored().object(typeNumber);
        return type != null ? type.name() : String.format("0x%x", typeNumber);
    }
}
