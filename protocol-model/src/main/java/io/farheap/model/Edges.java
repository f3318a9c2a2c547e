package io.farheap.model;

import java.util.Arrays;

/** Which state leads to which; two ints for each. */
final class Edges {
    private int[] from = new int[1 << 16];
    private int[] to = new int[1 << 16];
    private int count;

    void add(int origin, int target) {
        if (count == from.length) {
            from = Arrays.copyOf(from, 2 * count);
            to = Arrays.copyOf(to, 2 * count);
        }
        from[count] = origin;
        to[count++] = target;
    }

    /** Marks whatever has a way to what is marked. */
    void spreadBack(boolean[] marked) {
        int[] first = new int[marked.length];
        int[] next = new int[count];
        Arrays.fill(first, -1);
        for (int edge = 0; edge < count; edge++) {
            next[edge] = first[to[edge]];
            first[to[edge]] = edge;
        }
        int[] open = new int[marked.length];
        int opened = 0;
        for (int id = 0; id < marked.length; id++) {
            if (marked[id]) {
                open[opened++] = id;
            }
        }
        while (opened > 0) {
            for (int edge = first[open[--opened]]; edge >= 0; edge = next[edge]) {
                if (!marked[from[edge]]) {
                    marked[from[edge]] = true;
                    open[opened++] = from[edge];
                }
            }
        }
    }
}
