package io.farheap.pool;

import io.farheap.layout.PoolFeature;
import java.nio.file.Path;

/**
 * A change of one feature switch that did not reach all headers.
 *
 * @param feature the switch
 * @param on what the first header says: headers are written in order, so that is what was wanted
 */
public record CutFeature(PoolFeature feature, boolean on) {

    /** What finishes it. */
    public String command(Path poolset) {
        return "farheap feature " + (on ? "-e " : "-d ") + feature + " " + poolset;
    }
}
