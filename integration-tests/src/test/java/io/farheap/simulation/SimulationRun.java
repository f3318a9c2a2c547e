package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.Stuck;
import io.farheap.simulation.loader.BrokenRule;
import io.farheap.simulation.loader.PlantedMistake;
import io.farheap.simulation.loader.SimulationLoader;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Runs histories on the product's rewritten classes. */
final class SimulationRun implements AutoCloseable {
    private final Method run;
    private final Method end;

    /**
     * @param mistake what is wrong with the product; null: nothing, as far as is known
     */
    SimulationRun(PlantedMistake mistake) {
        this("Histories", mistake);
    }

    /** The same of histories of a cluster, with automatic fail-over. */
    static SimulationRun ofClusters(PlantedMistake mistake) {
        return new SimulationRun("ClusterHistories", mistake);
    }

    private SimulationRun(String name, PlantedMistake mistake) {
        try {
            Class<?> histories =
                    Class.forName(
                            "io.farheap.simulation." + name, true, new SimulationLoader(mistake));
            run = histories.getMethod("run", long.class, boolean.class);
            end = histories.getMethod("end");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What came of a seed. */
    record Result(
            String failure,
            String summary,
            String hash,
            Map<Happening, Integer> counts,
            List<String> notes) {
        boolean failed() {
            return !failure.isEmpty();
        }
    }

    private static Map<Happening, Integer> counts(String text) {
        Map<Happening, Integer> counts = new EnumMap<>(Happening.class);
        for (String each : text.isEmpty() ? new String[0] : text.split(" ")) {
            int sign = each.indexOf('=');
            counts.put(
                    Happening.valueOf(each.substring(0, sign)),
                    Integer.parseInt(each.substring(sign + 1)));
        }
        return counts;
    }

    /** The history of that seed. */
    Result run(long seed, boolean noted) {
        try {
            @SuppressWarnings("unchecked") // strings are the same class in both loaders
            List<String> lines = (List<String>) run.invoke(null, seed, noted);
            return new Result(
                    lines.get(0),
                    lines.get(1),
                    lines.get(2),
                    counts(lines.get(3)),
                    lines.subList(4, lines.size()));
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("seed " + seed, e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Runs the histories of so many seeds and prints what happened in them; shows the first one
     * that is not right, and how to run it again.
     *
     * @param test runs one of them, by the name that Maven knows
     */
    void requireRight(long first, long count, Tally tally, String test) {
        long begin = System.nanoTime();
        for (long seed = first; seed < first + count; seed++) {
            Result result = run(seed, false);
            tally.add(result);
            if (result.failed()) {
                run(seed, true).notes().forEach(System.out::println);
                throw new AssertionError(
                        String.format(
                                "seed %d (%s)%nshow it again: mvn verify -pl integration-tests -am"
                                        + " -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false"
                                        + " -Dsimulation.histories=1 -Dsimulation.seed=%d%n%s",
                                seed, result.summary(), test, seed, result.failure()));
            }
        }
        double minutes = (System.nanoTime() - begin) / 60e9;
        System.out.print(tally);
        System.out.printf(
                "%d histories from seed %d on, %.0f a minute%n", count, first, count / minutes);
    }

    /**
     * What is noticed of a planted mistake, in the first history in which something is: by a
     * checker, not because the mistake does not fit into the class any more.
     *
     * @param most from seed 1 on
     */
    Noticed firstNoticed(long most) {
        for (long seed = 1; seed <= most; seed++) {
            Result result = run(seed, false);
            if (result.failed()) {
                assertThat(result.failure())
                        .containsAnyOf(
                                Violation.class.getName() + ": ", Stuck.class.getName() + ": ");
                return new Noticed(seed, cause(result.failure()));
            }
        }
        throw new AssertionError("nobody noticed in " + most + " histories");
    }

    /** In which history, and what. */
    record Noticed(long seed, String what) {}

    /** The first line of what was thrown first. */
    private static String cause(String failure) {
        int last = failure.lastIndexOf("\nCaused by: ");
        String text = last < 0 ? failure : failure.substring(last + 12);
        return text.lines().findFirst().orElse("").replaceFirst("^[a-zA-Z.]*: ", "");
    }

    /** The classes stay loaded, as libraries keep some of them; what they hold does not. */
    @Override
    public void close() {
        try {
            end.invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** {@code SimulationRun FIRST COUNT [noted]}: for a shell. */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        boolean noted = arguments.length > 2;
        String planted = System.getenv("MISTAKE");
        String broken = System.getenv("BROKEN_RULE");
        SimulationRun simulation =
                System.getenv("CLUSTERS") != null
                        ? ofClusters(broken == null ? null : BrokenRule.valueOf(broken))
                        : new SimulationRun(
                                planted == null
                                        ? null
                                        : io.farheap.simulation.loader.Mistake.valueOf(planted));
        long begin = cpu();
        int failed = 0;
        Tally tally =
                System.getenv("CLUSTERS") == null
                        ? new Tally()
                        : new Tally(Happening::isOfClusters);
        for (long seed = first; seed < first + count; seed++) {
            Result result = simulation.run(seed, noted);
            if (noted) {
                result.notes().forEach(System.out::println);
            }
            tally.add(result);
            if (result.failed()) {
                failed++;
                System.out.println("seed " + seed + ": " + result.summary());
                System.out.println(result.failure());
                if (planted != null || broken != null) {
                    break;
                }
            } else if (count <= 20) {
                System.out.println("seed " + seed + ": " + result.summary() + " " + result.hash());
            }
        }
        if (count > 20) {
            System.out.print(tally);
        }
        double seconds = (cpu() - begin) / 1e9;
        System.out.printf(
                "%d histories in %.1f s of one core, %.0f a minute, %d failed%n",
                count, seconds, 60 * count / seconds, failed);
    }
}
