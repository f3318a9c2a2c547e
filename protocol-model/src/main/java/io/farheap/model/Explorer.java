package io.farheap.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Goes through all states of a model, breadth first: the first way found to a wrong state is a
 * shortest one. Where it is asked for, it then looks for states from which what should happen can't
 * happen any more, though no further fault comes.
 */
public final class Explorer implements Model.Events {
    private static final int DETAIL_BITS = 8;

    private final Model model;
    private final StateStore store;
    private final int mostStates;
    private final Edges edges;
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private long transitions;
    private int from;
    private String violation;
    private int wrongState;
    private int wrongEvent;

    /**
     * @param live whether every state must have a way to the end
     * @param mostStates after so many it gives up
     */
    public Explorer(Model model, boolean live, int mostStates) {
        this.model = model;
        this.store = new StateStore(model.longs());
        this.mostStates = mostStates;
        this.edges = live ? new Edges() : null;
    }

    /**
     * What came of it.
     *
     * @param violation what is wrong; null: nothing
     * @param trace one line for each state on the way there; empty: nothing is wrong
     */
    public record Result(int states, long transitions, String violation, List<String> trace) {
        public int steps() {
            return trace.size() - 1;
        }
    }

    public Result explore() {
        long[] state = new long[model.longs()];
        model.initial(state);
        store.add(state, -1, number("initially", 0));
        for (from = 0; from < store.size() && violation == null; from++) {
            if (store.size() > mostStates) {
                throw new IllegalStateException("more than " + mostStates + " states");
            }
            store.read(from, state);
            model.next(state, this);
        }
        List<String> trace = List.of();
        if (violation != null) {
            trace = trace(store.parent(wrongState) == from - 1 ? wrongState : from - 1);
            if (store.parent(wrongState) != from - 1) {
                trace.add(line(wrongEvent, wrongState));
            }
        } else if (edges != null) {
            trace = stuck();
        }
        return new Result(store.size(), transitions, violation, trace);
    }

    @Override
    public void then(String event, int detail, long[] state) {
        if (violation == null) {
            transitions++;
            int to = store.add(state, from, number(event, detail));
            if (edges != null && !isFault(event)) {
                edges.add(from, to);
            }
        }
    }

    @Override
    public void wrong(String event, int detail, long[] state, String why) {
        if (violation == null) {
            violation = why;
            wrongEvent = number(event, detail);
            wrongState = store.add(state, from, wrongEvent);
        }
    }

    private static boolean isFault(String event) {
        return Character.isUpperCase(event.charAt(0)) && Character.isUpperCase(event.charAt(2));
    }

    private int number(String event, int detail) {
        int number =
                numbers.computeIfAbsent(
                        event,
                        name -> {
                            names.add(name);
                            return names.size() - 1;
                        });
        return number << DETAIL_BITS | detail;
    }

    private List<String> stuck() {
        long[] state = new long[model.longs()];
        boolean[] ends = new boolean[store.size()];
        for (int id = 0; id < ends.length; id++) {
            store.read(id, state);
            ends[id] = model.isDone(state);
        }
        edges.spreadBack(ends);
        int stuck = 0;
        int first = -1;
        for (int id = ends.length - 1; id >= 0; id--) {
            if (!ends[id]) {
                stuck++;
                first = id;
            }
        }
        if (stuck == 0) {
            return List.of();
        }
        violation = stuck + " states have no way to the end";
        return trace(first);
    }

    private List<String> trace(int last) {
        List<String> lines = new ArrayList<>();
        for (int id = last; id >= 0; id = store.parent(id)) {
            lines.add(line(store.event(id), id));
        }
        Collections.reverse(lines);
        return lines;
    }

    private String line(int event, int id) {
        long[] state = new long[model.longs()];
        store.read(id, state);
        return String.format(
                "%-58s %3d  %s",
                names.get(event >>> DETAIL_BITS),
                event & (1 << DETAIL_BITS) - 1,
                model.show(state));
    }
}
