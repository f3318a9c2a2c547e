package io.farheap.model;

import io.farheap.model.Explorer.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** {@code protocol-model/run}: everything; {@code protocol-model/run RULE}: a trace without it. */
public final class ModelChecker {
    private static final long MILLION = 1_000_000;

    private int unexpected;
    private long states;

    private ModelChecker() {}

    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            System.exit(new ModelChecker().everything() ? 0 : 1);
        }
        for (String argument : arguments) {
            trace(argument);
        }
    }

    private static void trace(String title) {
        for (Rule rule : Rule.values()) {
            if (rule.title().equals(title)) {
                Result result = Check.without(rule);
                System.out.println("without " + title + ": " + result.violation());
                result.trace().forEach(line -> System.out.println("   " + line));
                return;
            }
        }
        System.err.println(title + " is no rule; docs/protocol.md names them");
        System.exit(2);
    }

    private boolean everything() {
        System.out.println("With all rules nothing may go wrong:");
        report("flow control of the ring", null, Check::ring);
        List<Bounds> scenarios = new ArrayList<>(Scenarios.SMALL);
        scenarios.addAll(Scenarios.LARGE);
        for (Bounds bounds : scenarios) {
            report(bounds.name(), null, () -> Check.scenario(bounds));
        }
        System.out.println("Without a rule something must:");
        for (Rule rule : Rule.values()) {
            report(rule.title(), rule, () -> Check.without(rule));
        }
        System.out.printf(
                "%,d states; %s%n",
                states, unexpected == 0 ? "all as expected" : unexpected + " not as expected");
        return unexpected == 0;
    }

    private void report(String name, Rule removed, Supplier<Result> check) {
        long begin = System.nanoTime();
        Result result = check.get();
        double seconds = (System.nanoTime() - begin) / (1000.0 * MILLION);
        boolean expected = (result.violation() == null) == (removed == null);
        unexpected += expected ? 0 : 1;
        states += result.states();
        System.out.printf(
                "%-36s %,12d states %,13d transitions %6.1f s  %s%s%n",
                name,
                result.states(),
                result.transitions(),
                seconds,
                expected ? "" : "UNEXPECTED: ",
                result.violation() == null
                        ? "ok"
                        : result.violation() + " [" + result.steps() + " steps]");
    }
}
