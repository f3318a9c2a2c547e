package io.farheap.model.failover;

import io.farheap.model.Explorer.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** {@code protocol-model/run ha}: everything; {@code protocol-model/run ha RULE}: a trace. */
public final class FailoverChecker {
    private static final double NANOS = 1e9;

    private int unexpected;
    private long states;

    private FailoverChecker() {}

    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            System.exit(new FailoverChecker().everything() ? 0 : 1);
        }
        for (String argument : arguments) {
            trace(argument);
        }
    }

    private static void trace(String title) {
        for (FailoverRule rule : FailoverRule.values()) {
            if (rule.title().equals(title)) {
                Result result = FailoverModel.without(rule);
                System.out.println("without " + title + ": " + result.violation());
                result.trace().forEach(line -> System.out.println("   " + line));
                return;
            }
        }
        System.err.println(title + " is no rule; docs/high-availability.md names them");
        System.exit(2);
    }

    private boolean everything() {
        System.out.println("With all rules nothing may go wrong:");
        List<FailoverBounds> scenarios = new ArrayList<>(FailoverScenarios.SMALL);
        scenarios.addAll(FailoverScenarios.LARGE);
        for (FailoverBounds bounds : scenarios) {
            report(bounds.name(), false, () -> FailoverModel.explore(bounds));
        }
        System.out.println("Without a rule something must:");
        for (FailoverRule rule : FailoverRule.values()) {
            report(rule.title(), true, () -> FailoverModel.without(rule));
        }
        System.out.printf(
                "%,d states; %s%n",
                states, unexpected == 0 ? "all as expected" : unexpected + " not as expected");
        return unexpected == 0;
    }

    private void report(String name, boolean removed, Supplier<Result> check) {
        long begin = System.nanoTime();
        Result result = check.get();
        boolean expected = (result.violation() != null) == removed;
        unexpected += expected ? 0 : 1;
        states += result.states();
        System.out.printf(
                "%-24s %,10d states %,11d transitions %5.1f s  %s%s%n",
                name,
                result.states(),
                result.transitions(),
                (System.nanoTime() - begin) / NANOS,
                expected ? "" : "UNEXPECTED: ",
                result.violation() == null
                        ? "ok"
                        : result.violation() + " [" + result.steps() + " steps]");
    }
}
