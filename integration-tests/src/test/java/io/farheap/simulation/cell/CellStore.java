package io.farheap.simulation.cell;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.simulation.cell.StoreLoad.Kind;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.World;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * An etcd that many processes ask: one queue of requests with a stated cost each, on a network with
 * a stated latency. What it has is in {@link EtcdKeys}; here is when.
 */
final class CellStore {
    private static final long MICRO = 1_000;
    private static final String CREATED = "{\"result\":{\"created\":true}}";
    private static final String EVENT = "{\"result\":{\"events\":[{}]}}";

    private final World world;
    private final Capacity capacity;
    private final EtcdKeys keys = new EtcdKeys(this::changed);
    private final StoreLoad load = new StoreLoad();
    private final Map<String, List<Stream>> streams = new HashMap<>();
    private final List<Stream> late = new ArrayList<>();
    private int streamCount;
    private long busyUntil;
    private boolean away;

    /**
     * What the store and the network are taken for.
     *
     * @param readNanos of the store's time, for a read, a keep-alive or a new watch
     * @param writeNanos of the store's time, for what goes through its log
     * @param diskNanos until a write is on the disks of most members; others go on meanwhile
     * @param fastest of the network, one way
     * @param slowest the same
     */
    record Capacity(long readNanos, long writeNanos, long diskNanos, long fastest, long slowest) {
        static final Capacity USUAL =
                new Capacity(10 * MICRO, 50 * MICRO, 3_000 * MICRO, 200 * MICRO, 700 * MICRO);

        long costOf(Kind kind) {
            return kind.isWritten() ? writeNanos : readNanos;
        }
    }

    CellStore(World world, Capacity capacity) {
        this.world = world;
        this.capacity = capacity;
    }

    EtcdKeys keys() {
        return keys;
    }

    StoreLoad load() {
        return load;
    }

    int streams() {
        return streamCount;
    }

    /** No request arrives, and nobody is told of anything. */
    void leave() {
        away = true;
    }

    /** With a new leader. */
    void comeBack() {
        away = false;
        keys.startLeasesAnew(world.now());
        late.forEach(this::begin);
        late.clear();
    }

    private long latency() {
        return capacity.fastest()
                + world.random().nextLong(capacity.slowest() - capacity.fastest() + 1);
    }

    // ---- requests

    /** Of the thread that runs now. */
    Optional<JsonNode> ask(String path, JsonNode request, long nanos) {
        Call call = new Call(Kind.of(path), request);
        var unused = world.after(latency(), call::arrive);
        long end = world.now() + nanos;
        while (call.answer == null && world.now() < end) {
            SimTime.parkNanos(end - world.now());
        }
        return Optional.ofNullable(call.answer);
    }

    private final class Call {
        private final Kind kind;
        private final JsonNode request;
        private final Thread asks = Thread.currentThread();
        private JsonNode answer;

        Call(Kind kind, JsonNode request) {
            this.kind = kind;
            this.request = request;
        }

        void arrive() {
            if (!away) {
                load.asked(kind, world.now(), bytesOf(request));
                queue(kind, this::carryOut);
            }
        }

        private void carryOut() {
            JsonNode done = done(kind, request);
            long disk = kind.isWritten() ? capacity.diskNanos() : 0;
            load.answered(bytesOf(done));
            var unused =
                    world.after(
                            disk + latency(),
                            () -> {
                                answer = done;
                                LockSupport.unpark(asks);
                            });
        }
    }

    private static long bytesOf(JsonNode json) {
        return CellJson.text(json).getBytes(StandardCharsets.UTF_8).length;
    }

    /** Its turn comes when all that came before it are done. */
    private void queue(Kind kind, Runnable work) {
        long cost = capacity.costOf(kind);
        long begin = Math.max(world.now(), busyUntil);
        load.served(begin - world.now(), cost);
        busyUntil = begin + cost;
        var unused = world.at(busyUntil, work);
    }

    private JsonNode done(Kind kind, JsonNode request) {
        return switch (kind) {
            case RANGE -> keys.range(request);
            case TXN -> keys.transaction(request);
            case GRANT -> {
                EtcdKeys.Lease lease = keys.granted(request, world.now());
                watchOver(lease);
                yield keys.answerTo(lease);
            }
            case KEEP_ALIVE -> keys.keepAlive(request, world.now());
            case REVOKE -> keys.revoke(request);
            case WATCH -> throw new IllegalArgumentException("a watch is no request");
        };
    }

    /** What nobody keeps alive goes; that is a write, too. */
    private void watchOver(EtcdKeys.Lease lease) {
        var unused =
                world.at(
                        lease.endsAt(),
                        () -> {
                            if (!keys.isThere(lease)) {
                                return;
                            }
                            if (away || lease.endsAt() > world.now()) {
                                lookAgain(lease);
                            } else {
                                queue(Kind.REVOKE, () -> endIfDue(lease));
                            }
                        });
    }

    private void lookAgain(EtcdKeys.Lease lease) {
        if (lease.endsAt() > world.now()) {
            watchOver(lease);
        } else {
            var unused = world.after(500_000 * MICRO, () -> watchOver(lease));
        }
    }

    private void endIfDue(EtcdKeys.Lease lease) {
        if (keys.isThere(lease) && lease.endsAt() <= world.now()) {
            keys.end(lease);
        } else if (keys.isThere(lease)) {
            watchOver(lease);
        }
    }

    // ---- watches

    private final class Stream {
        private final String prefix;
        private final SimProcess owner;
        private final Consumer<String> line;
        private boolean begun;
        private boolean ended;

        Stream(String prefix, SimProcess owner, Consumer<String> line) {
            this.prefix = prefix;
            this.owner = owner;
            this.line = line;
        }

        void say(String what) {
            if (!away) {
                var unused =
                        world.after(
                                latency(),
                                () -> {
                                    if (!ended && !owner.isDead()) {
                                        line.accept(what);
                                    }
                                });
            }
        }
    }

    Runnable watch(JsonNode request, Consumer<String> line) {
        String prefix = EtcdKeys.name(request.path("create_request").path("key").asText());
        Stream stream = new Stream(prefix, world.process(), line);
        stream.owner.atDeath(() -> end(stream));
        long bytes = bytesOf(request);
        var unused =
                world.after(
                        latency(),
                        () -> {
                            if (away) {
                                late.add(stream);
                                return;
                            }
                            load.asked(Kind.WATCH, world.now(), bytes);
                            queue(Kind.WATCH, () -> begin(stream));
                        });
        return () -> end(stream);
    }

    private void begin(Stream stream) {
        if (!stream.ended) {
            stream.begun = true;
            streamCount++;
            boolean unused =
                    streams.computeIfAbsent(stream.prefix, key -> new ArrayList<>()).add(stream);
            stream.say(CREATED);
        }
    }

    private void end(Stream stream) {
        if (stream.begun && !stream.ended) {
            streamCount--;
            boolean unused = streams.get(stream.prefix).remove(stream);
        }
        stream.ended = true;
    }

    private void changed(String key) {
        if (key.endsWith("/record")) {
            load.recorded();
        }
        for (int slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
            for (Stream stream : streams.getOrDefault(key.substring(0, slash + 1), List.of())) {
                stream.say(EVENT);
            }
        }
    }
}
