package io.farheap.simulation.loader;

import java.util.List;

/** A mistake that somebody could have made in the product: made in its classes as they load. */
public interface PlantedMistake {

    /** The class with the mistake in it; {@code original} where it is in another one. */
    byte[] plantInto(String name, byte[] original);

    /** All that it changes. */
    List<Planting> plantings();
}
