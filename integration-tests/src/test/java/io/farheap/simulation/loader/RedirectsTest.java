package io.farheap.simulation.loader;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is redirected by name is there under that name. */
class RedirectsTest {
    static Set<String> calls() {
        Set<String> all = new TreeSet<>(new Redirects().calls());
        all.addAll(Redirects.ofCells().calls());
        return all;
    }

    @ParameterizedTest
    @MethodSource("calls")
    void isAMethodOfItsClass(String call) throws ClassNotFoundException {
        int parameters = call.indexOf('(');
        int dot = call.lastIndexOf('.', parameters);
        String name = call.substring(0, dot).replace('/', '.');
        Class<?> type = Class.forName(name, false, getClass().getClassLoader());
        assertThat(
                        Stream.of(type.getMethods(), type.getDeclaredMethods())
                                .flatMap(Arrays::stream)
                                .map(RedirectsTest::text))
                .contains(call.substring(dot + 1));
    }

    private static String text(Method method) {
        String type =
                MethodType.methodType(void.class, method.getParameterTypes())
                        .toMethodDescriptorString();
        return method.getName() + type.substring(0, type.indexOf(')') + 1);
    }
}
