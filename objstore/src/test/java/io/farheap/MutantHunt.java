package io.farheap;

import io.farheap.CrashEnumeration.Effort;
import io.farheap.CrashEnumeration.Findings;
import io.farheap.memory.CrashSimulation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Looks for a test that fails on the product as it is loaded with this class; for mutants. The
 * quickest come first.
 */
public final class MutantHunt {
    private static final long SEED = 20261121;
    private static final Effort QUICK = new Effort(32, 4, Effort.NO_STORES, 8);
    private static final Effort THOROUGH = new Effort(64, 6, 1, 8);

    private MutantHunt() {}

    /**
     * Runs the first test classes, the crash states of every operation, and the other classes.
     *
     * @return what failed, or null
     */
    public static String hunt(List<String> first, boolean states, List<String> others)
            throws Exception {
        String found = failureOf(first);
        if (found == null && states) {
            found = crashStates();
        }
        return found == null ? failureOf(others) : found;
    }

    private static String failureOf(List<String> testClasses) throws Exception {
        String found = null;
        for (int i = 0; i < testClasses.size() && found == null; i++) {
            found = failure(Class.forName(testClasses.get(i)));
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

    private static String failure(Class<?> test) throws Exception {
        for (Method method : test.getDeclaredMethods()) {
            for (Object[] arguments : arguments(method)) {
                Constructor<?> constructor = test.getDeclaredConstructor();
                constructor.setAccessible(true);
                method.setAccessible(true);
                try {
                    Object instance = constructor.newInstance();
                    prepare(instance);
                    Object unused = method.invoke(instance, arguments);
                } catch (InvocationTargetException e) {
                    return test.getSimpleName() + "." + method.getName();
                }
            }
        }
        return null;
    }

    private static void prepare(Object instance)
            throws IllegalAccessException, InvocationTargetException {
        for (Method method : instance.getClass().getDeclaredMethods()) {
            if (method.isAnnotationPresent(BeforeEach.class)) {
                method.setAccessible(true);
                Object unused = method.invoke(instance);
            }
        }
    }

    /** With what a test method is called: tests without parameters, and those of an enum. */
    private static List<Object[]> arguments(Method method) {
        List<Object[]> all = new ArrayList<>();
        if (method.isAnnotationPresent(Test.class) && method.getParameterCount() == 0) {
            all.add(new Object[0]);
        }
        if (method.isAnnotationPresent(ParameterizedTest.class)
                && method.getParameterCount() == 1
                && method.getParameterTypes()[0].isEnum()) {
            for (Object constant : method.getParameterTypes()[0].getEnumConstants()) {
                all.add(new Object[] {constant});
            }
        }
        return all;
    }
}
