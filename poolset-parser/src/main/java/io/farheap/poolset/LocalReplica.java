package io.farheap.poolset;

import java.util.List;

/**
 * A replica made of files, directories or devices of this machine.
 *
 * @param parts in the order of the poolset file, which is their order in the image; never empty
 */
public record LocalReplica(List<Part> parts) implements Replica {
    public LocalReplica {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a local replica has at least one part");
        }
    }
}
