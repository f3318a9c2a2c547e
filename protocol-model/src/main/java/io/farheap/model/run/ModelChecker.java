package io.farheap.model.run;

import io.farheap.model.Explorer.Result;
import io.farheap.model.ProtocolSuite;
import io.farheap.model.Suite;
import io.farheap.model.Suite.Case;
import io.farheap.model.failover.FailoverSuite;
import io.farheap.model.heap.HeapSuite;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * {@code protocol-model/run}: all models; with a model's name: that one; with a rule's, or both
 * names: the trace without the rule.
 */
public final class ModelChecker {
    private static final double NANOS = 1e9;

    private int unexpected;
    private long states;

    private ModelChecker() {}

    /** All models there are. */
    static List<Suite> suites() {
        return List.of(ProtocolSuite.suite(), FailoverSuite.suite(), HeapSuite.suite());
    }

    public static void main(String[] arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        List<Suite> named = suites().stream().filter(s -> s.name().equals(first)).toList();
        List<Suite> suites = named.isEmpty() ? suites() : named;
        List<String> rules = List.of(arguments).subList(named.size(), arguments.length);
        if (rules.isEmpty()) {
            System.exit(new ModelChecker().all(suites) ? 0 : 1);
        }
        rules.forEach(rule -> trace(suites, rule));
    }

    private static void trace(List<Suite> suites, String rule) {
        Optional<Case> without =
                suites.stream().flatMap(suite -> suite.without(rule).stream()).findFirst();
        if (without.isEmpty()) {
            System.err.println(rule + " is neither a model nor a rule of one:");
            for (Suite suite : suites) {
                String rules =
                        suite.rules().stream().map(Case::title).collect(Collectors.joining(" "));
                System.err.println(suite.name() + ": " + rules);
            }
            System.exit(2);
        }
        Result result = without.get().exploration().get();
        System.out.println("without " + rule + ": " + result.violation());
        result.trace().forEach(line -> System.out.println("   " + line));
    }

    private boolean all(List<Suite> suites) {
        for (Suite suite : suites) {
            System.out.println(suite.name() + ": with all rules nothing may go wrong");
            suite.clean().forEach(one -> report(one, false));
            System.out.println(suite.name() + ": without a rule something must");
            suite.rules().forEach(one -> report(one, true));
        }
        System.out.printf(
                "%,d states; %s%n",
                states, unexpected == 0 ? "all as expected" : unexpected + " not as expected");
        return unexpected == 0;
    }

    private void report(Case one, boolean removed) {
        long begin = System.nanoTime();
        Result result = one.exploration().get();
        boolean expected = (result.violation() != null) == removed;
        unexpected += expected ? 0 : 1;
        states += result.states();
        System.out.printf(
                "%-36s %,12d states %,13d transitions %6.1f s  %s%s%n",
                one.title(),
                result.states(),
                result.transitions(),
                (System.nanoTime() - begin) / NANOS,
                expected ? "" : "UNEXPECTED: ",
                result.violation() == null
                        ? "ok"
                        : result.violation() + " [" + result.steps() + " steps]");
    }
}
