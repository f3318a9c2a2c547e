package io.farheap.tools.failover;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.CataloguedPool;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who writes which pool, as the store said at one moment, for clients and load balancers
 * (docs/high-availability.md#over-http). Immutable.
 *
 * <pre>
 *   /v1/pools/POOL/writer               200 and where it is, or 503: nobody
 *   /v1/pools/POOL/is-writer?node=NODE  200: that node writes, or 503
 * </pre>
 */
final class WriterAnswers {
    private static final String POOLS = "/v1/pools/";
    private static final String NODE = "node=";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Map<String, CataloguedPool> pools = new TreeMap<>();
    private final String thisNode;

    /**
     * @param pools of one cluster
     * @param thisNode who is meant where a client names no node; empty: nobody
     */
    WriterAnswers(List<CataloguedPool> pools, String thisNode) {
        pools.forEach(pool -> this.pools.put(pool.pool(), pool));
        this.thisNode = thisNode;
    }

    /**
     * @param path without the query
     * @param query empty where there is none
     */
    WriterAnswer to(String path, String query) {
        String[] words =
                path.startsWith(POOLS) ? path.substring(POOLS.length()).split("/", -1) : null;
        if (words == null || words.length != 2) {
            return unknownPath();
        }
        CataloguedPool pool = pools.get(words[0]);
        if (pool == null) {
            return new WriterAnswer(
                    WriterAnswer.UNKNOWN, reason("the store has no record of a pool of this name"));
        }
        return switch (words[1]) {
            case "writer" -> writer(pool);
            case "is-writer" -> isWriter(pool, query);
            default -> unknownPath();
        };
    }

    private static WriterAnswer unknownPath() {
        return new WriterAnswer(
                WriterAnswer.UNKNOWN,
                reason("ask for /v1/pools/POOL/writer, /v1/pools/POOL/is-writer or /healthz"));
    }

    private static WriterAnswer writer(CataloguedPool pool) {
        return writes(pool)
                ? new WriterAnswer(WriterAnswer.YES, description(pool))
                : new WriterAnswer(WriterAnswer.NO, reason("nobody writes"));
    }

    private WriterAnswer isWriter(CataloguedPool pool, String query) {
        String node =
                Arrays.stream(query.split("&"))
                        .filter(word -> word.startsWith(NODE))
                        .map(word -> word.substring(NODE.length()))
                        .findFirst()
                        .orElse(thisNode);
        if (node.isEmpty()) {
            return new WriterAnswer(
                    WriterAnswer.WRONG_REQUEST,
                    reason("say which node: ?node=NODE, or --node where this service is started"));
        }
        return writes(pool) && pool.leader().equals(node)
                ? new WriterAnswer(WriterAnswer.YES, description(pool))
                : new WriterAnswer(WriterAnswer.NO, reason(node + " does not write"));
    }

    /** A node that has announced itself and not begun its turn yet serves nobody. */
    private static boolean writes(CataloguedPool pool) {
        return !pool.leader().isEmpty()
                && pool.leader().equals(pool.writer())
                && pool.leaderTerm() == pool.term();
    }

    private static String description(CataloguedPool pool) {
        ObjectNode object =
                JSON.createObjectNode()
                        .put("pool", pool.pool())
                        .put("node", pool.leader())
                        .put("term", pool.term())
                        .put("endpoint", pool.endpoint());
        return object.toString();
    }

    static String reason(String sentence) {
        return JSON.createObjectNode().put("reason", sentence).toString();
    }
}
