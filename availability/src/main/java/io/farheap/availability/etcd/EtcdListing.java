package io.farheap.availability.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.Listing;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.base.FarheapException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * All keys with a prefix, page by page, each at the revision of the first. Where etcd forgets that
 * revision meanwhile, it is begun anew; where a page is too large for an answer, fewer keys are
 * asked for. For one thread, once.
 */
final class EtcdListing {
    /** What Farheap's own values need of an answer is a fifth of what the transport takes. */
    private static final int MOST_KEYS = 500;

    private static final int ATTEMPTS = 3;

    private final EtcdClient client;
    private final byte[] first;
    private final byte[] end;
    private List<Listed> found = new ArrayList<>();
    private byte[] from;
    private int limit = MOST_KEYS;

    /** Of the first page; null: nothing is read yet. */
    private StoreStamp stamp;

    EtcdListing(EtcdClient client, String prefix) {
        this.client = client;
        this.first = prefix.getBytes(StandardCharsets.UTF_8);
        this.end = EtcdMessages.endOf(prefix);
        this.from = first;
    }

    Listing read() {
        int attempts = 1;
        boolean more = true;
        while (more) {
            try {
                more = readPage();
            } catch (FarheapException e) {
                if (limit > 1 && is(e, EtcdFailure::isTooLarge)) {
                    limit /= 2;
                } else if (attempts < ATTEMPTS && is(e, EtcdFailure::isOfOldRevision)) {
                    attempts++;
                    begin();
                } else {
                    throw e;
                }
            }
        }
        return new Listing(found, stamp);
    }

    private void begin() {
        found = new ArrayList<>();
        from = first;
        stamp = null;
    }

    private static boolean is(FarheapException e, Predicate<EtcdFailure> kind) {
        return e.getCause() instanceof EtcdFailure failure && kind.test(failure);
    }

    /** Whether there are more behind it. */
    private boolean readPage() {
        return client.ask(
                EtcdCoordinator.RANGE,
                EtcdMessages.range(from, end, limit, stamp == null ? 0 : stamp.revision()),
                (answer, mayBeDone) -> take(answer));
    }

    private boolean take(JsonNode answer) throws EtcdFailure {
        StoreStamp answered = EtcdMessages.stamp(answer);
        List<Listed> page = new ArrayList<>();
        byte[] last = from;
        for (JsonNode one : answer.path("kvs")) {
            last = EtcdMessages.bytes(one, "key");
            page.add(
                    new Listed(
                            new String(last, StandardCharsets.UTF_8),
                            EtcdMessages.bytes(one, "value"),
                            EtcdMessages.number(one, "lease") != 0));
        }
        boolean more = answer.path("more").asBoolean(false);
        if (more && page.isEmpty()) {
            throw EtcdFailure.noAnswer("a page without a key, and more behind it", null);
        }
        found.addAll(page);
        from = Arrays.copyOf(last, last.length + 1); // the next key there can be
        stamp = stamp == null ? answered : stamp;
        limit = Math.min(MOST_KEYS, limit * 2);
        return more;
    }
}
