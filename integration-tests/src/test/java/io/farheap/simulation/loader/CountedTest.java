package io.farheap.simulation.loader;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is counted by name is there under that name. */
class CountedTest {
    static Set<String> names() {
        return Counted.METHODS.keySet();
    }

    @ParameterizedTest
    @MethodSource("names")
    void isAMethodOfTheProduct(String name) throws ClassNotFoundException {
        int dot = name.lastIndexOf('.');
        Class<?> type = Class.forName(name.substring(0, dot), false, getClass().getClassLoader());
        Set<String> methods =
                Arrays.stream(type.getDeclaredMethods())
                        .map(Method::getName)
                        .collect(Collectors.toSet());
        assertThat(methods).contains(name.substring(dot + 1));
    }
}
