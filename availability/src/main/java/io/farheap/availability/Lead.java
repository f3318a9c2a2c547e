package io.farheap.availability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A process that writes a pool, or waits for its turn, as it announces itself: a sign of life and
 * an address for clients, no proof of anything (docs/high-availability.md#no-lease-as-proof).
 *
 * <pre>
 *   {"format":1,"node":"a","term":7,"endpoint":"https://a:8443","pid":4711}
 * </pre>
 *
 * @param term 0: its turn has not begun yet
 * @param endpoint for clients, as the program says it; empty: it says none
 * @param pid of the process on its node
 */
record Lead(String node, long term, String endpoint, long pid) {
    static final int MOST_ENDPOINT = 1024;
    private static final int FORMAT = 1;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** This process, before its turn. */
    static Lead of(String node) {
        return new Lead(node, 0, "", ProcessHandle.current().pid());
    }

    /** Whether it was a process of this machine, and there is none with its number any more. */
    boolean hasEnded(String thisNode) {
        return node.equals(thisNode) && ProcessHandle.of(pid).isEmpty();
    }

    Lead with(long newTerm, String newEndpoint) {
        return new Lead(node, newTerm, newEndpoint, pid);
    }

    byte[] encode() {
        return JSON.createObjectNode()
                .put("format", FORMAT)
                .put("node", node)
                .put("term", term)
                .put("endpoint", endpoint)
                .put("pid", pid)
                .toString()
                .getBytes(StandardCharsets.UTF_8);
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
                            object.path("pid").asLong());
                }
            }
            throw unreadable(key, null);
        } catch (IOException e) {
            throw unreadable(key, e);
        }
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
        return node + " (process " + pid + ")";
    }
}
