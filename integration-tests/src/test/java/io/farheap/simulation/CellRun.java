package io.farheap.simulation;

import io.farheap.simulation.loader.SimulationLoader;
import java.lang.reflect.InvocationTargetException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of a cell of pools in virtual time.
 *
 * @param lines to print; the last one tells this run from another one
 * @param figures by name
 */
record CellRun(List<String> lines, Map<String, Double> figures) {

    /** Runs one, on the product's rewritten classes. */
    static CellRun of(int pools, int machines, int rack, int ttl, long seed) {
        List<List<String>> told = told(pools, machines, rack, ttl, seed);
        Map<String, Double> figures = new LinkedHashMap<>();
        for (String each : told.get(1)) {
            int sign = each.indexOf('=');
            figures.put(each.substring(0, sign), Double.valueOf(each.substring(sign + 1)));
        }
        return new CellRun(told.get(0), figures);
    }

    @SuppressWarnings("unchecked") // strings are the same class in both loaders
    private static List<List<String>> told(int pools, int machines, int rack, int ttl, long seed) {
        try {
            return (List<List<String>>)
                    Class.forName(
                                    "io.farheap.simulation.cell.CellHistory",
                                    true,
                                    SimulationLoader.ofCells())
                            .getMethod(
                                    "run", int.class, int.class, int.class, int.class, long.class)
                            .invoke(null, pools, machines, rack, ttl, seed);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    double figure(String name) {
        return figures.get(name);
    }

    void print() {
        lines.forEach(System.out::println);
    }
}
