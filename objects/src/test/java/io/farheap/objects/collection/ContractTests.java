package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/**
 * Runs Guava's suites of JUnit 3 inside one test of ours: no engine for old tests is needed, what
 * surrounds each of their tests is ours, and a report of a hundred thousand tests is nobody's.
 */
final class ContractTests {
    static final int ALL = 1;

    private ContractTests() {}

    /**
     * Runs each {@code every}th test of the suite, and shows all that fail.
     *
     * @param around runs what it is given, with whatever it likes before and after
     */
    static void run(TestSuite suite, Consumer<Runnable> around, int every) {
        List<Test> tests = leaves(suite).toList();
        List<String> failures = new ArrayList<>();
        int ran = 0;
        for (int i = 0; i < tests.size(); i += every) {
            failures.addAll(run(tests.get(i), around));
            ran++;
        }
        System.out.printf("%s: %d of %d tests ran%n", suite.getName(), ran, tests.size());
        assertThat(failures).as("of %d tests", ran).isEmpty();
        assertThat(tests).hasSizeGreaterThan(200);
    }

    private static Stream<Test> leaves(Test test) {
        return test instanceof TestSuite suite
                ? Collections.list(suite.tests()).stream().flatMap(ContractTests::leaves)
                : Stream.of(test);
    }

    private static List<String> run(Test test, Consumer<Runnable> around) {
        TestResult result = new TestResult();
        List<String> failures = new ArrayList<>();
        try {
            around.accept(() -> test.run(result));
        } catch (AssertionError surroundings) {
            failures.add(test + ": " + surroundings.getMessage());
        }
        Stream.concat(
                        Collections.list(result.failures()).stream(),
                        Collections.list(result.errors()).stream())
                .map(TestFailure::thrownException)
                .forEach(thrown -> failures.add(test + ": " + thrown));
        return failures;
    }
}
