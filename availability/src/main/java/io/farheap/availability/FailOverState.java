package io.farheap.availability;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the store says of a pool, for people: {@link FailOverControl#look}.
 *
 * @param term grows by one at every take-over
 * @param writer the node that took over last
 * @param set the nodes whose copies every commit waits for: one of them is the next writer
 * @param number of the last recorded switch
 * @param leader the node whose process is alive and writes, or is about to; empty: nobody
 * @param leaderTerm the term that it says it writes in; 0: nobody, or its turn has not begun yet
 * @param pid of that process; 0: nobody
 * @param machine where that process runs, by the machine's last start ({@code
 *     /proc/sys/kernel/random/boot_id}) and its process namespace: two machines that have one node
 *     name differ in it; empty: nobody, or not known
 * @param endpoint where clients find it, as its program says; empty: it says none
 * @param waiting nodes of the set whose programs wait for their turn
 * @param paused nobody takes over, by a person's order
 * @param ordered who is to be the next writer, by a person's order; empty: whoever may
 * @param reasons of those that wait, why they do, by node; without those whose version does not say
 *     it
 * @param attention what a person should look at, a sentence each; empty: nothing
 */
public record FailOverState(
        long term,
        String writer,
        List<String> set,
        long number,
        String leader,
        long leaderTerm,
        long pid,
        String machine,
        String endpoint,
        List<String> waiting,
        boolean paused,
        String ordered,
        Map<String, String> reasons,
        List<String> attention) {
    /** Copies what may change. */
    public FailOverState {
        set = List.copyOf(set);
        waiting = List.copyOf(waiting);
        reasons = Collections.unmodifiableMap(new TreeMap<>(reasons));
        attention = List.copyOf(attention);
    }

    /**
     * The node that writes; empty: nobody does, or a node has announced itself and its turn has not
     * begun, of which nothing may come.
     */
    public String writing() {
        return leaderTerm == term && leader.equals(writer) ? leader : "";
    }
}
