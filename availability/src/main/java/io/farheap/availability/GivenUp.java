package io.farheap.availability;

import io.farheap.availability.ClusterRecord.Apart;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.nio.charset.StandardCharsets;

/**
 * A person's word that a copy that was set apart may go (docs/high-availability.md#set-apart). It
 * names the term that set it apart: what a later one sets apart is not meant.
 *
 * <pre>
 *   {"format":1,"term":8}
 * </pre>
 */
final class GivenUp {
    private GivenUp() {}

    /**
     * @throws io.farheap.availability.coordinator.StoreUnavailableException the store does not
     *     answer
     */
    static boolean isSaid(Coordinator store, PoolKeys keys, String node, Apart one) {
        return store.read(keys.discard(node)).value().filter(value -> isOf(value, one)).isPresent();
    }

    private static boolean isOf(byte[] value, Apart one) {
        return new String(value, StandardCharsets.UTF_8).equals(text(one));
    }

    /** One of them at a time is enough: whoever says it says the same. */
    static void say(Coordinator store, PoolKeys keys, String node, Apart one) {
        Versioned now = store.read(keys.discard(node));
        byte[] value = text(one).getBytes(StandardCharsets.UTF_8);
        Swap swap = store.compareAndSet(keys.discard(node), now.version(), value);
        if (swap.outcome() != Swap.Outcome.APPLIED && !isSaid(store, keys, node, one)) {
            throw FarheapException.environment(
                    "It is not certain that %s says so: the store does not answer. Give the order"
                            + " again.",
                    keys.discard(node));
        }
    }

    private static String text(Apart one) {
        return "{\"format\":1,\"term\":" + one.term() + "}";
    }
}
