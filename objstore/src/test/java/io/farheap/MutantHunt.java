package io.farheap;

import io.farheap.CrashEnumeration.Effort;
import io.farheap.CrashEnumeration.Findings;
import io.farheap.testing.CrashSimulation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Looks for a test that fails on the product as it is loaded with this class; for mutants. */
public final class MutantHunt {
    /** Stands among the tests for the crash states of every operation. */
    public static final String STATES = "CrashStatesTest";

    private static final long SEED = 20261121;
    private static final Effort QUICK = new Effort(32, 4, Effort.NO_STORES, 8);
    private static final Effort THOROUGH = new Effort(64, 6, 1, 8);

    private MutantHunt() {}

    /**
     * Runs the tests in their order, as JUnit does, until one fails.
     *
     * @param tests {@code class}, {@code class#method} or {@link #STATES}
     * @return what failed, or null
     */
    public static String hunt(List<String> tests) throws Exception {
        Thread.currentThread().setContextClassLoader(MutantHunt.class.getClassLoader());
        String found = null;
        for (int i = 0; i < tests.size() && found == null; i++) {
            String test = tests.get(i);
            found = test.equals(STATES) ? crashStates() : failureIn(selector(test));
        }
        return found;
    }

    private static String crashStates() {
        String found = crashStates(QUICK);
        return found == null ? crashStates(THOROUGH) : found;
    }

    private static String crashStates(Effort effort) {
        CrashSimulation machine = SimulatedPool.formatted(CrashStatesTest.SIZE);
        try (CrashEnumeration enumeration = new CrashEnumeration(machine, effort, SEED)) {
            ObjectPool pool = SimulatedPool.open(machine);
            for (var step : ApiWorkload.steps().entrySet()) {
                Findings found = enumeration.explore(pool, step.getKey(), step.getValue());
                if (!found.wrong().isEmpty()) {
                    return "CrashStatesTest, " + found.name() + ": a wrong state";
                }
                if (!found.unflushed().isEmpty()) {
                    return "CrashStatesTest, " + found.name() + ": not durable on return";
                }
            }
        } catch (Exception | AssertionError e) {
            return "CrashStatesTest: " + e.getClass().getSimpleName();
        }
        return null;
    }

    private static DiscoverySelector selector(String test) throws ClassNotFoundException {
        int end = test.indexOf('#');
        if (end < 0) {
            return DiscoverySelectors.selectClass(Class.forName(test));
        }
        Class<?> type = Class.forName(test.substring(0, end));
        Method method =
                Arrays.stream(type.getDeclaredMethods())
                        .filter(m -> m.getName().equals(test.substring(end + 1)))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("no test " + test));
        return DiscoverySelectors.selectMethod(type, method);
    }

    private static String failureIn(DiscoverySelector selector) {
        LauncherDiscoveryRequest tests =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selector)
                        .filters(
                                EngineFilter.includeEngines("junit-jupiter"),
                                TagFilter.excludeTags("long", "crash", "mutation"))
                        .build();
        CancellationToken enough = CancellationToken.create();
        FirstFailure failure = new FirstFailure(enough);
        LauncherFactory.create()
                .execute(
                        LauncherExecutionRequestBuilder.request(tests)
                                .listeners(failure)
                                .cancellationToken(enough)
                                .build());
        if (failure.tests == 0) {
            throw new IllegalArgumentException("no test in " + selector);
        }
        return failure.names.isEmpty() ? null : failure.names.get(0);
    }

    /** Notes what fails, and stops the run then. */
    private static final class FirstFailure implements TestExecutionListener {
        private final List<String> names = new ArrayList<>();
        private final CancellationToken enough;
        private int tests;

        FirstFailure(CancellationToken enough) {
            this.enough = enough;
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            tests += test.isTest() ? 1 : 0;
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                tests++;
                names.add(name(test));
                enough.cancel();
                if (Boolean.getBoolean("mutation.trace")) {
                    result.getThrowable().ifPresent(Throwable::printStackTrace);
                }
            }
        }

        /** Class and method; parameters are in no row, they may have no name. */
        private static String name(TestIdentifier test) {
            Object source = test.getSource().orElse(null);
            if (source instanceof MethodSource method) {
                return simple(method.getClassName()) + "." + method.getMethodName();
            }
            return source instanceof ClassSource type
                    ? simple(type.getClassName())
                    : test.getDisplayName();
        }

        private static String simple(String className) {
            return className.substring(className.lastIndexOf('.') + 1);
        }
    }
}
