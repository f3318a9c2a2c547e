package io.farheap.agent;

import io.farheap.agent.config.AgentOptions;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolHeader;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * The removal of a replica that somebody types on the target. What the replica holds is said first,
 * and it goes only where that is agreed to. The target can't ask the pool or another replica
 * whether they have the same commits, so a replica with content has to be named by its uuid.
 */
final class RemovalOrder {
    /** Nobody ever committed in these, or what there was was given up. */
    private static final Set<ReplicaState> WITHOUT_COMMITS =
            EnumSet.of(ReplicaState.NEW, ReplicaState.SYNCING);

    private static final String NOTHING = "nothing was removed";
    private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

    private final AgentOptions options;
    private final List<String> typed;
    private final InputStream in;
    private final PrintStream err;
    private final BooleanSupplier asks;

    /**
     * @param typed the agent's arguments as they were typed
     */
    RemovalOrder(AgentOptions options, List<String> typed, InputStream in, PrintStream err) {
        this(options, typed, in, err, RemovalOrder::isTerminal);
    }

    /**
     * @param asks whether somebody is there who can be asked
     */
    RemovalOrder(
            AgentOptions options,
            List<String> typed,
            InputStream in,
            PrintStream err,
            BooleanSupplier asks) {
        this.options = options;
        this.typed = typed;
        this.in = in;
        this.err = err;
        this.asks = asks;
    }

    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /**
     * Says what there is, and goes on only where its removal is agreed to.
     *
     * @throws FarheapException WRONG_USE where it is not
     */
    void require(ReplicaPaths paths) {
        ReplicaInspection found = ReplicaInspection.of(paths, false);
        if (found.slot() == null && found.faults().isEmpty()) {
            return; // nothing is there, which the removal says
        }
        String uuid = uuid(paths, found);
        boolean named = uuid.equals(options.discard());
        err.println(paths.name() + " (" + uuid + "): " + holds(found));
        if (options.discard() != null && !named) {
            throw refusal(
                    "--discard " + options.discard() + " does not name this replica: " + NOTHING);
        }
        boolean asked = !options.yes() && asks.getAsBoolean();
        if (hasCommits(found) && !named) {
            throw refusal(
                    "whether another copy has what it holds can't be known here (farheap status"
                            + " tells, where the pool is): "
                            + NOTHING
                            + "; to lose it: "
                            + command(
                                    (options.yes() || asked ? "" : " --yes")
                                            + " --discard "
                                            + uuid));
        }
        if (!options.yes() && !asked) {
            throw refusal(
                    "nobody is at a terminal to be asked: "
                            + NOTHING
                            + "; to agree: "
                            + command(" --yes"));
        }
        if (asked && !isAgreed(paths)) {
            throw refusal("not agreed to: " + NOTHING);
        }
    }

    private static boolean hasCommits(ReplicaInspection found) {
        return found.slot() == null || !WITHOUT_COMMITS.contains(found.slot().state());
    }

    /** Its own uuid; where its header does not tell that, its name. */
    private static String uuid(ReplicaPaths paths, ReplicaInspection found) {
        if (found.header().length() > 0) {
            MemorySegment page = MemorySegment.ofArray(found.header().toByteArray());
            PoolHeader header = new PoolHeader(page);
            if (header.hasSignature()) {
                return header.uuid().toString();
            }
        }
        return paths.name();
    }

    private static String holds(ReplicaInspection found) {
        SlotReport slot = found.slot();
        if (slot == null) {
            return "what it holds is not known: " + String.join("; ", found.faults());
        }
        return ReplicaInspection.holds(slot)
                + (found.faults().isEmpty() ? "" : "; " + String.join("; ", found.faults()));
    }

    /** The command as it was typed, with more options behind it. */
    private String command(String more) {
        return typed.stream()
                        .map(RemovalOrder::quoted)
                        .collect(Collectors.joining(" ", "farheap agent ", ""))
                + more;
    }

    private static String quoted(String word) {
        return word.matches(PLAIN) ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private boolean isAgreed(ReplicaPaths paths) {
        err.print("remove the replica " + paths.name() + " ? [y/N] ");
        err.flush();
        BufferedReader answers =
                new BufferedReader(new InputStreamReader(in, Charset.defaultCharset()));
        try {
            String answer = answers.readLine();
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot read the answer: %s", e.getMessage());
        }
    }

    private static FarheapException refusal(String why) {
        return new FarheapException(Category.WRONG_USE, why);
    }
}
