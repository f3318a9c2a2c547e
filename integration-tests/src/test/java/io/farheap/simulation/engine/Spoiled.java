package io.farheap.simulation.engine;

import java.util.List;

/** What planted mistakes make of things. */
public final class Spoiled {
    private Spoiled() {}

    /** All but the first. */
    public static <T> List<T> withoutFirst(List<T> list) {
        return list.isEmpty() ? list : list.subList(1, list.size());
    }
}
