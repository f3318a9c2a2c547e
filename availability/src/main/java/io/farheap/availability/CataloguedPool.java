package io.farheap.availability;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the store says of one of its pools, for people: {@link PoolCatalogue#look}. What is not
 * known says so: {@link #unreadable} has what could not be read, and without it the writer's
 * process says how many copies there are to be.
 *
 * @param cluster pools that are managed together
 * @param pool its name
 * @param term grows by one at every take-over; 0: the record can't be read
 * @param writer the node that took over last; empty: the record can't be read
 * @param set the nodes whose copies every commit waits for; empty: the record can't be read
 * @param leader the node whose process is alive and writes, or is about to; empty: nobody, or what
 *     is announced can't be read
 * @param leaderTerm of that process; 0: its turn has not begun
 * @param endpoint where clients find that process, as its program says; empty: it says none
 * @param since when its turn began, by its node's clock; empty: not known
 * @param nodes that have a copy according to the writer, of the set or not; empty: not known
 * @param minCopies the least number of copies that commits need; 0: not known
 * @param waiting nodes whose programs wait for their turn
 * @param paused nobody takes over, by a person's order
 * @param ordered who is to be the next writer, by a person's order; empty: whoever may
 * @param unreadable {@code record}, {@code lead} or {@code order}, where it is damaged or another
 *     version's, with a sentence
 */
public record CataloguedPool(
        String cluster,
        String pool,
        long term,
        String writer,
        List<String> set,
        String leader,
        long leaderTerm,
        String endpoint,
        Optional<Instant> since,
        List<String> nodes,
        int minCopies,
        List<String> waiting,
        boolean paused,
        String ordered,
        Map<String, String> unreadable) {
    /** Copies what may change. */
    public CataloguedPool {
        set = List.copyOf(set);
        nodes = List.copyOf(nodes);
        waiting = List.copyOf(waiting);
        unreadable = Map.copyOf(unreadable);
    }

    /** Nodes that have a copy, and are not waited for. */
    public List<String> missing() {
        return set.isEmpty() ? List.of() : without(nodes, set);
    }

    private static List<String> without(List<String> names, Collection<String> others) {
        return names.stream().filter(name -> !others.contains(name)).toList();
    }

    /**
     * Whether commits wait for fewer copies than there are to be; empty: not known, because the
     * record can't be read, or nobody says how many that is.
     */
    public Optional<Boolean> degraded() {
        return set.isEmpty() || nodes.isEmpty()
                ? Optional.empty()
                : Optional.of(!missing().isEmpty() || set.size() < minCopies);
    }

    /** What a person should look at, a sentence each; empty: nothing. */
    public List<String> attention() {
        return PoolConcerns.of(this);
    }
}
