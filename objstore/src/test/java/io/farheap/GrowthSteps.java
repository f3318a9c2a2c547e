package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Step;
import java.util.LinkedHashMap;
import java.util.Map;

/** A heap takes in what its image has beyond it: the half of growth that is not about files. */
final class GrowthSteps {
    private static final long LEAST = 2 << 20;

    private GrowthSteps() {}

    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("grow the heap", GrowthSteps::extend);
        return steps;
    }

    private static void extend(ObjectPool pool) {
        long before = pool.heap().size();
        pool.heap().extend(LEAST);
        assertThat(pool.heap().size()).isEqualTo(before + SimulatedPool.REST);
    }
}
