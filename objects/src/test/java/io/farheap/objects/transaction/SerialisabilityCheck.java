package io.farheap.objects.transaction;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a recorded history is strictly serialisable. It knows nothing of how transactions work:
 * each value is written once, and who writes a cell has read it, so the history itself tells who
 * wrote what was read and in which order the values of a cell came. The order of transactions must
 * have no cycle, with these edges:
 *
 * <ul>
 *   <li>who wrote a value comes before who read it;
 *   <li>who read a value comes before who replaced it;
 *   <li>who returned comes before who began afterwards.
 * </ul>
 *
 * (Who wrote a value comes before who replaced it by the first of these.)
 */
final class SerialisabilityCheck {
    private static final long INITIAL = 0;

    private final List<RecordedTransaction> committed;
    private final List<List<Integer>> edges = new ArrayList<>();

    private SerialisabilityCheck(List<RecordedTransaction> history) {
        this.committed = history.stream().filter(tx -> tx.committed).toList();
    }

    /**
     * @return what is wrong with it; empty: nothing
     */
    static String problemOf(List<RecordedTransaction> history) {
        return new SerialisabilityCheck(history).problem();
    }

    private String problem() {
        Map<List<Long>, Integer> writers = new HashMap<>();
        Map<List<Long>, Integer> replacers = new HashMap<>();
        for (int i = 0; i < committed.size(); i++) {
            edges.add(new ArrayList<>());
            for (Map.Entry<Integer, Long> write : committed.get(i).writes.entrySet()) {
                writers.put(valueOf(write.getKey(), write.getValue()), i);
                Long before = committed.get(i).reads.get(write.getKey());
                Integer other = replacers.put(valueOf(write.getKey(), before), i);
                if (other != null) {
                    return "An update is lost: both replaced the same value of cell "
                            + write.getKey()
                            + ":\n"
                            + committed.get(other)
                            + "\n"
                            + committed.get(i);
                }
            }
        }
        for (int i = 0; i < committed.size(); i++) {
            for (Map.Entry<Integer, Long> read : committed.get(i).reads.entrySet()) {
                List<Long> value = valueOf(read.getKey(), read.getValue());
                Integer writer = writers.get(value);
                if (writer == null && read.getValue() != INITIAL) {
                    return "Nobody committed what was read of cell "
                            + read.getKey()
                            + ":\n"
                            + committed.get(i);
                }
                if (writer != null && writer != i) {
                    edges.get(writer).add(i);
                }
                Integer replacer = replacers.get(value);
                if (replacer != null && replacer != i) {
                    edges.get(i).add(replacer);
                }
            }
        }
        addRealTime();
        return cycle();
    }

    private static List<Long> valueOf(long register, long value) {
        return List.of(register, value);
    }

    /** By a chain of nodes, one for each return: an edge for each pair would be too many. */
    private void addRealTime() {
        List<Integer> byEnd = new ArrayList<>();
        List<Integer> byBegin = new ArrayList<>();
        for (int i = 0; i < committed.size(); i++) {
            byEnd.add(i);
            byBegin.add(i);
        }
        byEnd.sort(Comparator.comparingLong(i -> committed.get(i).end));
        byBegin.sort(Comparator.comparingLong(i -> committed.get(i).begin));
        int returned = 0;
        int last = -1;
        for (int next : byBegin) {
            while (returned < byEnd.size()
                    && committed.get(byEnd.get(returned)).end < committed.get(next).begin) {
                int node = edges.size();
                edges.add(new ArrayList<>());
                edges.get(byEnd.get(returned)).add(node);
                if (last >= 0) {
                    edges.get(last).add(node);
                }
                last = node;
                returned++;
            }
            if (last >= 0) {
                edges.get(last).add(next);
            }
        }
    }

    /** Takes away who has nobody before it until nothing, or a cycle with what follows, is left. */
    private String cycle() {
        int[] before = new int[edges.size()];
        edges.forEach(after -> after.forEach(node -> before[node]++));
        Deque<Integer> free = new ArrayDeque<>();
        for (int node = 0; node < before.length; node++) {
            if (before[node] == 0) {
                free.add(node);
            }
        }
        int taken = 0;
        while (!free.isEmpty()) {
            taken++;
            for (int next : edges.get(free.remove())) {
                before[next]--;
                if (before[next] == 0) {
                    free.add(next);
                }
            }
        }
        return taken == before.length ? "" : "No order explains this:\n" + around(before);
    }

    private String around(int[] before) {
        Map<Integer, Integer> cameFrom = new HashMap<>();
        for (int node = 0; node < before.length; node++) {
            for (int next : edges.get(node)) {
                if (before[node] > 0 && before[next] > 0) {
                    cameFrom.put(next, node);
                }
            }
        }
        List<Integer> path = new ArrayList<>();
        int node = cameFrom.keySet().iterator().next();
        while (!path.contains(node)) {
            path.add(node);
            node = cameFrom.get(node);
        }
        List<Integer> cycle = new ArrayList<>(path.subList(path.indexOf(node), path.size()));
        Collections.reverse(cycle);
        StringBuilder text = new StringBuilder();
        for (int member : cycle) {
            text.append(member < committed.size() ? committed.get(member) + "\n" : "returned\n");
        }
        return text.toString();
    }
}
