package io.farheap.availability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A process that writes a pool, or waits for its turn, as it announces itself: a sign of life and
 * an address for clients, no proof of anything (docs/high-availability.md#no-lease-as-proof).
 *
 * <pre>
 *   {"format":1,"node":"a","term":7,"endpoint":"https://a:8443","pid":4711,
 *    "machine":"9f1c2ed0-…-7d1b/4026531836",
 *    "since":1790000000,"nodes":["a","b","c"],"minCopies":2}
 * </pre>
 *
 * Whoever waits says nothing of the last line, nor do earlier versions of the last two. Whoever
 * waits says why, as {@code "why":"a writes"}.
 *
 * @param term 0: its turn has not begun yet
 * @param endpoint for clients, as the program says it; empty: it says none
 * @param pid of the process on its node
 * @param machine where it runs ({@link MachineBoot}); empty: not known
 * @param why it waits, for people; empty: it does not, or does not say it
 * @param turn what else is told of its turn
 */
record Lead(
        String node, long term, String endpoint, long pid, String machine, String why, Turn turn) {
    static final int MOST_ENDPOINT = 1024;
    private static final int MOST_WHY = 500;
    private static final int FORMAT = 1;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * For people, who see by it whether copies are missing; nothing else rests on it.
     *
     * @param since when it began, by the node's clock, in seconds since 1970; 0: not known
     * @param nodes that have a copy according to the writer's poolset file; empty: not known
     * @param minCopies the least number of copies that its commits need; 0: not known
     */
    record Turn(long since, SortedSet<String> nodes, int minCopies) {
        static final Turn UNKNOWN = new Turn(0, new TreeSet<>(), 0);

        Turn {
            nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
        }
    }

    /** A process of this machine. */
    Lead(String node, long term, String endpoint, long pid) {
        this(node, term, endpoint, pid, MachineBoot.HERE, "", Turn.UNKNOWN);
    }

    /** This process, before its turn. */
    static Lead of(String node) {
        return new Lead(node, 0, "", ProcessHandle.current().pid());
    }

    /**
     * Whether it was a process of this machine, and there is none with its number any more. Of
     * another machine that has this one's name, and of what does not say where it ran, nobody here
     * knows.
     */
    boolean hasEnded(String thisNode) {
        return node.equals(thisNode)
                && !machine.isEmpty()
                && machine.equals(MachineBoot.HERE)
                && ProcessHandle.of(pid).isEmpty();
    }

    /**
     * Whether it has this node's name and is of another machine, or from before this machine's last
     * start.
     */
    boolean isElsewhere(String thisNode) {
        return node.equals(thisNode) && MachineBoot.differ(machine, MachineBoot.HERE);
    }

    Lead with(long newTerm, String newEndpoint) {
        return new Lead(node, newTerm, newEndpoint, pid, machine, why, turn);
    }

    Lead with(Turn newTurn) {
        return new Lead(node, term, endpoint, pid, machine, why, newTurn);
    }

    Lead waitingBecause(String reason) {
        String cut = reason.length() > MOST_WHY ? reason.substring(0, MOST_WHY) : reason;
        return new Lead(node, term, endpoint, pid, machine, cut, turn);
    }

    byte[] encode() {
        ObjectNode object =
                JSON.createObjectNode()
                        .put("format", FORMAT)
                        .put("node", node)
                        .put("term", term)
                        .put("endpoint", endpoint)
                        .put("pid", pid);
        if (!machine.isEmpty()) {
            object.put("machine", machine);
        }
        if (!why.isEmpty()) {
            object.put("why", why);
        }
        if (!turn.equals(Turn.UNKNOWN)) {
            object.put("since", turn.since()).put("minCopies", turn.minCopies());
            ArrayNode nodes = object.putArray("nodes");
            turn.nodes().forEach(nodes::add);
        }
        return object.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * @throws FarheapException category BAD_DATA when it can't be understood
     */
    static Lead decode(String key, byte[] value) {
        try {
            JsonNode object = JSON.readTree(value);
            if (object != null && object.path("format").asInt() == FORMAT) {
                String node = object.path("node").asText();
                if (NodeNames.isName(node)) {
                    return new Lead(
                            node,
                            object.path("term").asLong(),
                            object.path("endpoint").asText(""),
                            object.path("pid").asLong(),
                            object.path("machine").asText(""),
                            object.path("why").asText(""),
                            turn(object));
                }
            }
            throw unreadable(key, null);
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    /** For what is only told: empty where it can't be understood. */
    static Optional<Lead> decoded(String key, byte[] value) {
        try {
            return Optional.of(decode(key, value));
        } catch (FarheapException e) {
            return Optional.empty();
        }
    }

    /** What makes no sense is not known: nobody waits longer for it. */
    private static Turn turn(JsonNode object) {
        SortedSet<String> nodes = new TreeSet<>();
        for (JsonNode name : object.path("nodes")) {
            if (!NodeNames.isName(name.asText())) {
                return Turn.UNKNOWN;
            }
            nodes.add(name.asText());
        }
        long since = object.path("since").asLong();
        return new Turn(
                since > Instant.MAX.getEpochSecond() ? 0 : Math.max(0, since),
                nodes,
                Math.max(0, object.path("minCopies").asInt()));
    }

    private static FarheapException unreadable(String key, Exception cause) {
        return FarheapException.badData(
                cause,
                "%s in the store is nothing that this version understands: nobody takes the pool"
                        + " over on this node until it is gone",
                key);
    }

    @Override
    public String toString() {
        return machine.isEmpty()
                ? node + " (process " + pid + ")"
                : node + " (process " + pid + " of " + machine + ")";
    }
}
