package io.farheap.it.readers;

import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;

/** A root as an older program has it, which lacks {@link NewerLedger}. */
@Persistent(name = "VersionedLedger")
public interface OlderLedger {
    PersistentMap<Long, Long> amounts();
}
