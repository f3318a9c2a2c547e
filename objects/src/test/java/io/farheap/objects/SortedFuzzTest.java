package io.farheap.objects;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.fuzz.Inputs;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes in what sorted maps and sets own: nodes, links between leaves, orders, counts: each
 * call ends with an answer, or refused as bad data.
 */
class SortedFuzzTest {
    private static CollectionGround ground;

    @BeforeAll
    static void make() {
        ground = new CollectionGround("sorted", "sortedLongs", "sortedSet");
    }

    @AfterAll
    static void close() {
        ground.close();
    }

    @Test
    @Tag("sliced")
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", Inputs.sliced(seeds()), ground::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(ground::take, input);
    }

    static Stream<byte[]> seeds() {
        return ground.seeds();
    }
}
