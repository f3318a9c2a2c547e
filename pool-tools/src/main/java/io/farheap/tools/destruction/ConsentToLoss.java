package io.farheap.tools.destruction;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/** As {@link Consent}, of a command that may remove or overwrite copies. */
public final class ConsentToLoss extends Consent {
    @Option(
            names = "--discard",
            paramLabel = "UUID",
            description =
                    "this copy may go though it has commits that no other copy has; the command"
                            + " that refuses prints its uuid. May be given several times")
    private List<String> discard = List.of();

    @Override
    Set<String> discarded() {
        return new TreeSet<>(discard);
    }
}
