package io.farheap.objects.collection;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Collections;
import java.util.function.Consumer;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicNode;

/**
 * Guava's suites of JUnit 3 as dynamic tests: no engine for old tests is needed, and what surrounds
 * each test is ours.
 */
final class ContractTests {
    private ContractTests() {}

    /**
     * @param around runs what it is given, before and after whatever it likes
     */
    static Stream<DynamicNode> of(TestSuite suite, Consumer<Runnable> around) {
        return Collections.list(suite.tests()).stream().map(test -> node(test, around));
    }

    private static DynamicNode node(Test test, Consumer<Runnable> around) {
        return test instanceof TestSuite suite
                ? dynamicContainer(suite.getName(), of(suite, around))
                : dynamicTest(test.toString(), () -> around.accept(() -> run(test)));
    }

    private static void run(Test test) {
        TestResult result = new TestResult();
        test.run(result);
        Stream.concat(
                        Collections.list(result.failures()).stream(),
                        Collections.list(result.errors()).stream())
                .map(TestFailure::thrownException)
                .findFirst()
                .ifPresent(
                        failure -> {
                            throw new AssertionError(test + ": " + failure, failure);
                        });
    }
}
