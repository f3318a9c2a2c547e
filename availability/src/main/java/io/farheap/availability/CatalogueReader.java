package io.farheap.availability;

import io.farheap.availability.coordinator.Listed;
import io.farheap.base.FarheapException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Makes rows of a listing of the store. What can't be read is of its own row alone. */
final class CatalogueReader {
    private static final String WAITING = "waiting/";
    private static final Comparator<PoolKeys> BY_NAME =
            Comparator.comparing(PoolKeys::cluster).thenComparing(PoolKeys::pool);

    private CatalogueReader() {}

    /** Of each pool that has a record or a writer, by cluster and name. */
    static List<CataloguedPool> read(List<Listed> listing) {
        Map<PoolKeys, Map<String, Listed>> pools = new TreeMap<>(BY_NAME);
        for (Listed one : listing) {
            PoolKeys.placeOf(one.key())
                    .ifPresent(
                            place ->
                                    pools.computeIfAbsent(place.keys(), keys -> new TreeMap<>())
                                            .put(place.name(), one));
        }
        return pools.entrySet().stream()
                .filter(pool -> pool.getValue().containsKey("record") || isWritten(pool.getValue()))
                .map(pool -> row(pool.getKey(), pool.getValue()))
                .toList();
    }

    /** Whether somebody writes to it, of which nobody could tell what counts. */
    private static boolean isWritten(Map<String, Listed> of) {
        return lead(of, new TreeMap<>()).filter(lead -> lead.term() > 0).isPresent();
    }

    private static Optional<Lead> lead(Map<String, Listed> of, Map<String, String> unreadable) {
        return Optional.ofNullable(of.get("lead"))
                .filter(Listed::announced)
                .flatMap(
                        one ->
                                readable(
                                        "lead",
                                        unreadable,
                                        () -> Lead.decode(one.key(), one.value())));
    }

    private static Optional<ClusterRecord> record(
            Map<String, Listed> of, Map<String, String> unreadable) {
        Listed stored = of.get("record");
        if (stored == null) {
            unreadable.put(
                    "record",
                    "its record is gone from the store, and nobody can take over any more: restore"
                            + " the newest copy of the store, or look who has removed it");
            return Optional.empty();
        }
        return readable(
                "record",
                unreadable,
                () -> ClusterRecordCodec.decode(stored.key(), stored.value()));
    }

    private static CataloguedPool row(PoolKeys keys, Map<String, Listed> of) {
        Map<String, String> unreadable = new TreeMap<>();
        Optional<ClusterRecord> record = record(of, unreadable);
        Optional<Lead> lead = lead(of, unreadable);
        Orders orders =
                Optional.ofNullable(of.get("order"))
                        .flatMap(one -> readable("order", unreadable, () -> orders(one)))
                        .orElse(Orders.NONE);
        return row(keys, record, lead, orders, waiting(of), unreadable);
    }

    private static CataloguedPool row(
            PoolKeys keys,
            Optional<ClusterRecord> record,
            Optional<Lead> lead,
            Orders orders,
            List<String> waiting,
            Map<String, String> unreadable) {
        Lead.Turn turn = lead.map(Lead::turn).orElse(Lead.Turn.UNKNOWN);
        return new CataloguedPool(
                keys.cluster(),
                keys.pool(),
                record.map(ClusterRecord::term).orElse(0L),
                record.map(ClusterRecord::writer).orElse(""),
                record.map(one -> List.copyOf(one.set())).orElse(List.of()),
                lead.map(Lead::node).orElse(""),
                lead.map(Lead::term).orElse(0L),
                lead.map(Lead::endpoint).orElse(""),
                Optional.of(turn.since()).filter(since -> since > 0).map(Instant::ofEpochSecond),
                List.copyOf(turn.nodes()),
                turn.minCopies(),
                waiting,
                orders.paused(),
                orders.to().orElse(""),
                unreadable);
    }

    /** Of what was read one by one. */
    static CataloguedPool row(
            PoolKeys keys,
            ClusterRecord record,
            Optional<Lead> lead,
            Orders orders,
            List<String> waiting) {
        return row(keys, Optional.of(record), lead, orders, waiting, Map.of());
    }

    private static Orders orders(Listed one) {
        Orders orders = Orders.decode(one.key(), one.value(), 0);
        if (orders.to().isPresent() && !NodeNames.isName(orders.to().get())) {
            throw FarheapException.badData(
                    "%s in the store asks for a switch-over to what can't be a node's name: give"
                            + " the order again, or remove the key",
                    one.key());
        }
        return orders;
    }

    private static <T> Optional<T> readable(
            String part, Map<String, String> unreadable, Supplier<T> reading) {
        try {
            return Optional.of(reading.get());
        } catch (FarheapException e) {
            unreadable.put(part, e.getMessage());
            return Optional.empty();
        }
    }

    private static List<String> waiting(Map<String, Listed> of) {
        List<String> nodes = new ArrayList<>();
        for (Map.Entry<String, Listed> one : of.entrySet()) {
            if (one.getKey().startsWith(WAITING) && one.getValue().announced()) {
                nodes.add(one.getKey().substring(WAITING.length()));
            }
        }
        nodes.removeIf(node -> !NodeNames.isName(node));
        return nodes;
    }
}
