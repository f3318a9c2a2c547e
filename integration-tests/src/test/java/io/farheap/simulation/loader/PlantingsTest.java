package io.farheap.simulation.loader;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each planted mistake still fits into the product's classes, method by method. Whether it is found
 * there only runs say that take long.
 */
class PlantingsTest {
    static Stream<PlantedMistake> all() {
        return Stream.concat(Arrays.stream(Mistake.values()), Arrays.stream(BrokenRule.values()));
    }

    @ParameterizedTest
    @MethodSource("all")
    void itFitsIntoTheProduct(PlantedMistake mistake) throws IOException {
        for (Planting planting : mistake.plantings()) {
            byte[] original = classFile(planting.owner());
            for (String method : planting.method().split("\\|")) {
                assertThat(new Planting(planting.owner(), method, planting.change()).into(original))
                        .as("%s.%s", planting.owner(), method)
                        .isNotEqualTo(original);
            }
        }
    }

    private static byte[] classFile(String name) throws IOException {
        String file = "/" + name.replace('.', '/') + ".class";
        try (InputStream bytes = PlantingsTest.class.getResourceAsStream(file)) {
            assertThat(bytes).as(file).isNotNull();
            return bytes.readAllBytes();
        }
    }
}
