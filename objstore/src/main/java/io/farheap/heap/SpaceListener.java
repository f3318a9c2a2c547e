package io.farheap.heap;

/** Who keeps something in DRAM for objects: it must go before another object takes the space. */
@FunctionalInterface
public interface SpaceListener {

    /** The space from one image offset to another is free as soon as this returns. */
    void givingBack(long from, long to);
}
