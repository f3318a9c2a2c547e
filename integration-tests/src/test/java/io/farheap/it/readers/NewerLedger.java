package io.farheap.it.readers;

import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;

/** A root as a newer program has it, which lacks {@link OlderLedger}. */
@Persistent(name = "VersionedLedger")
public interface NewerLedger {
    PersistentMap<Long, Long> amounts();

    Integer grade();

    PersistentMap<Long, String> tags();

    PersistentDeque<Long> queue();

    PersistentSortedMap<Long, Long> ranks();
}
