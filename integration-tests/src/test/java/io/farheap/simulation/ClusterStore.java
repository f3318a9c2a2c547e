package io.farheap.simulation;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Hints;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.coordinator.Watch;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.Waiters;
import io.farheap.simulation.engine.World;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The store with compare-and-set that all nodes see: the product's store in memory, as a process on
 * a machine of its own that carries out one request after the other. Requests and answers take
 * their time, are lost or late; what a process has announced goes when it was not kept alive.
 */
final class ClusterStore {
    static final String KEY = "farheap/main/pools/bank/record";
    static final Duration TTL = Duration.ofSeconds(10);
    private static final long MILLI = 1_000_000;

    /** How long a client waits for an answer. */
    private static final long PATIENCE = TTL.toNanos() / 6;

    private static final long LATEST = 20_000 * MILLI;

    private final World world;
    private final SimProcess process;
    private final MemoryStore store = new MemoryStore(Duration.ofDays(1));
    private final ArrayDeque<Runnable> requests = new ArrayDeque<>();
    private final Waiters arrivals = new Waiters();
    private final Map<Machine, Way> ways = new HashMap<>();
    private final List<Kept> leases = new ArrayList<>();
    private final List<Watching> watches = new ArrayList<>();
    private Coordinator direct;
    private byte[] recorded = new byte[0];
    private Runnable onRecorded = () -> {};
    private MemoryStore.Backup backup;
    private long silentUntil;
    private boolean wentBack;

    /** How a node's requests and the answers to them fare. */
    static final class Way {
        private long fastest = MILLI / 5;
        private long slowest = 3 * MILLI;
        private long requestsLostUntil;
        private long answersLostUntil;
        private long changesLateUntil;
        private int lostOneIn;

        /** Neither requests nor answers arrive. */
        void cut(long until) {
            requestsLostUntil = Math.max(requestsLostUntil, until);
            answersLostUntil = Math.max(answersLostUntil, until);
        }

        /** The store does what it is told, and nobody hears that it has. */
        void loseAnswers(long until) {
            answersLostUntil = Math.max(answersLostUntil, until);
        }

        /** What is to be changed arrives when nobody waits for it any more; reads are answered. */
        void delayChanges(long until) {
            changesLateUntil = Math.max(changesLateUntil, until);
        }

        /** Requests and answers take so long. */
        void setLatency(long newFastest, long newSlowest) {
            fastest = newFastest;
            slowest = newSlowest;
        }

        /** One of so many requests is late, one is lost, one is not answered; 0: none. */
        void lose(int oneIn) {
            lostOneIn = oneIn;
        }

        void heal() {
            requestsLostUntil = 0;
            answersLostUntil = 0;
            changesLateUntil = 0;
            lostOneIn = 0;
            setLatency(MILLI / 5, 3 * MILLI);
        }
    }

    ClusterStore(World world) {
        this.world = world;
        this.process = new SimProcess(world, new Machine("store"), "store");
        Thread unused = process.start("main", this::serve);
    }

    private void serve() {
        direct = store.connect(StoreFaults.NONE);
        while (true) {
            boolean unused = arrivals.await(() -> !requests.isEmpty(), Long.MAX_VALUE / 4);
            requests.remove().run();
            byte[] now = direct.read(KEY).value().orElse(new byte[0]);
            if (!java.util.Arrays.equals(now, recorded)) {
                recorded = now;
                onRecorded.run();
            }
        }
    }

    private void enqueue(Runnable request) {
        requests.add(request);
        arrivals.wake();
    }

    /** Before anything else happens. */
    void begin(byte[] record, Runnable then) {
        enqueue(
                () -> {
                    Swap unused = direct.compareAndSet(KEY, 0, record);
                    then.run();
                });
    }

    /** The record as it is; empty: none yet. */
    byte[] recorded() {
        return recorded;
    }

    /** Told, on a thread of the store, that the record is another one. */
    void onRecorded(Runnable action) {
        onRecorded = action;
    }

    Way way(Machine machine) {
        return ways.computeIfAbsent(machine, key -> new Way());
    }

    // ---- what goes wrong

    /** No answer for so long, as when its leader is lost; what was announced then starts anew. */
    void fallSilent(long nanos) {
        silentUntil = Math.max(silentUntil, world.now() + nanos);
        var unused = world.at(silentUntil, () -> enqueue(this::startLeasesAnew));
    }

    private void startLeasesAnew() {
        leases.forEach(lease -> lease.endsAt = world.now() + TTL.toNanos());
    }

    /** What that node's processes have announced ends, though they are alive. */
    void endLeases(Machine machine) {
        enqueue(
                () -> {
                    List<Kept> those = new ArrayList<>(leases);
                    those.removeIf(lease -> lease.owner.machine() != machine);
                    if (!those.isEmpty()) {
                        world.count(Happening.LEASE_ENDED);
                    }
                    those.forEach(Kept::end);
                });
    }

    void backUp() {
        enqueue(() -> backup = store.backup());
    }

    /** If there is a backup: everything since then is gone. */
    void restore() {
        enqueue(
                () -> {
                    if (backup != null) {
                        world.count(Happening.STORE_RESTORED);
                        wentBack = true;
                        store.restore(backup, true);
                        leases.clear();
                        hint();
                    }
                });
    }

    boolean wentBack() {
        return wentBack;
    }

    void heal() {
        ways.values().forEach(Way::heal);
        silentUntil = 0;
    }

    // ---- requests

    /** A request of the process that runs now. */
    private final class Call<T> {
        private final Way way = way(world.process().machine());
        private final Waiters answer = new Waiters();
        private final Supplier<T> what;
        private final boolean changes;
        private T value;
        private boolean answered;

        Call(Supplier<T> what) {
            this(what, false);
        }

        /**
         * @param changes whether it changes what there is, and is late where changes are
         */
        Call(Supplier<T> what, boolean changes) {
            this.what = what;
            this.changes = changes;
        }

        /** Empty: nobody knows whether it was carried out, or will be. */
        Optional<T> ask() {
            long arrival = world.now() + latency();
            int fate = way.lostOneIn == 0 ? 3 : world.random().nextInt(way.lostOneIn);
            boolean lost = world.now() < way.requestsLostUntil || fate == 0;
            boolean unheard = fate == 1;
            boolean late = fate == 2 || changes && world.now() < way.changesLateUntil;
            if (lost || unheard || late) {
                world.count(late ? Happening.STORE_LATE : Happening.STORE_UNANSWERED);
            }
            if (late) {
                arrival += PATIENCE + world.random().nextLong(LATEST);
            }
            if (!lost) {
                var unused = world.at(arrival, () -> arrive(unheard || late));
            }
            boolean unused = answer.await(() -> answered, PATIENCE);
            return answered ? Optional.of(value) : Optional.empty();
        }

        private void arrive(boolean unheard) {
            if (world.now() < silentUntil) {
                if (world.random().nextBoolean()) {
                    var unused = world.at(silentUntil, () -> arrive(true));
                }
                return;
            }
            enqueue(
                    () -> {
                        T done = what.get();
                        if (unheard || world.now() < way.answersLostUntil) {
                            return;
                        }
                        var unused =
                                world.after(
                                        latency(),
                                        () -> {
                                            value = done;
                                            answered = true;
                                            answer.wake();
                                        });
                    });
        }

        private long latency() {
            return way.fastest + world.random().nextLong(way.slowest - way.fastest + 1);
        }
    }

    private <T> T answerTo(Supplier<T> what) {
        return new Call<>(what)
                .ask()
                .orElseThrow(() -> new StoreUnavailableException("The store does not answer."));
    }

    /** A node that watches hears of a change, if it can. */
    private void hint() {
        watches.removeIf(watch -> watch.closed || watch.owner.isDead());
        for (Watching watch : List.copyOf(watches)) {
            if (world.now() >= way(watch.owner.machine()).answersLostUntil) {
                var unused = world.after(1 + world.random().nextLong(5 * MILLI), watch::hint);
            }
        }
    }

    private static final class Watching {
        private final SimProcess owner;
        private final Hints hints;
        private boolean closed;

        Watching(SimProcess owner, Hints hints) {
            this.owner = owner;
            this.hints = hints;
        }

        private void hint() {
            if (!closed && !owner.isDead()) {
                Thread unused = owner.start("hint", hints::hint);
            }
        }
    }

    /** A client for the process that runs now. */
    Coordinator connect() {
        return new Client(world.process());
    }

    private final class Client implements Coordinator {
        private final SimProcess owner;
        private final List<AutoCloseable> open = new ArrayList<>();

        Client(SimProcess owner) {
            this.owner = owner;
        }

        @Override
        public Versioned read(String key) {
            return answerTo(() -> direct.read(key));
        }

        @Override
        public List<Listed> list(String prefix) {
            return answerTo(() -> direct.list(prefix));
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            byte[] sent = value.clone();
            return swap(() -> direct.compareAndSet(key, version, sent));
        }

        @Override
        public Swap compareAndSet(
                String key, long version, byte[] value, String beside, long besideVersion) {
            byte[] sent = value.clone();
            return swap(() -> direct.compareAndSet(key, version, sent, beside, besideVersion));
        }

        private Swap swap(Supplier<Swap> request) {
            return new Call<>(
                            () -> {
                                Swap swap = request.get();
                                hint();
                                return swap;
                            },
                            true)
                    .ask()
                    .orElse(Swap.unknown());
        }

        @Override
        public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
            byte[] sent = value.clone();
            long asked = world.now();
            Optional<Kept> kept =
                    answerTo(
                            () -> {
                                Coordinator own = store.connect(StoreFaults.NONE);
                                Optional<Presence> made = own.announce(key, sent, ttl);
                                hint();
                                return made.map(there -> new Kept(owner, own, there, asked));
                            });
            kept.ifPresent(Kept::start);
            kept.ifPresent(open::add);
            return kept.map(one -> one);
        }

        @Override
        public Optional<byte[]> present(String key) {
            return answerTo(() -> direct.present(key));
        }

        @Override
        public void remove(String key, byte[] value) {
            byte[] sent = value.clone();
            boolean unused =
                    answerTo(
                            () -> {
                                direct.remove(key, sent);
                                hint();
                                return true;
                            });
        }

        @Override
        public Watch watch(String prefix, Runnable changed) {
            Watching watching = new Watching(owner, new Hints(TTL.dividedBy(3), changed));
            watches.add(watching);
            Watch closing =
                    () -> {
                        watching.closed = true;
                        watching.hints.close();
                    };
            open.add(closing);
            return closing;
        }

        @Override
        public void close() {
            for (AutoCloseable each : List.copyOf(open)) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            open.clear();
        }
    }

    /** What a process has announced, kept alive as the client of etcd does it. */
    private final class Kept implements Presence {
        private final SimProcess owner;
        private final Coordinator own;
        private final Presence there;

        /** The store's. */
        private long endsAt = world.now() + TTL.toNanos();

        /** The client's. */
        private long keptAt;

        private boolean gone;

        Kept(SimProcess owner, Coordinator own, Presence there, long asked) {
            this.owner = owner;
            this.own = own;
            this.there = there;
            this.keptAt = asked;
            leases.add(this);
            watchOver();
        }

        private void watchOver() {
            var unused =
                    world.at(
                            endsAt,
                            () -> {
                                if (leases.contains(this)) {
                                    enqueue(this::endWhenDue);
                                }
                            });
        }

        private void endWhenDue() {
            if (!leases.contains(this)) {
                return;
            }
            if (world.now() < silentUntil) {
                endsAt = silentUntil + TTL.toNanos();
            }
            if (world.now() >= endsAt) {
                end();
            } else {
                watchOver();
            }
        }

        /** On the store's thread. */
        void end() {
            if (leases.remove(this)) {
                own.close();
                hint();
            }
        }

        void start() {
            Thread unused = owner.start("lease", this::keep);
        }

        private void keep() {
            while (!gone) {
                SimTime.parkNanos(TTL.toNanos() * 3 / 10);
                if (!gone) {
                    keepOnce();
                }
            }
        }

        private void keepOnce() {
            long sent = world.now();
            Optional<Boolean> alive =
                    new Call<>(
                                    () -> {
                                        endsAt = world.now() + TTL.toNanos();
                                        return leases.contains(this);
                                    })
                            .ask();
            if (alive.isPresent()) {
                gone |= !alive.get();
                keptAt = sent;
            }
        }

        @Override
        public boolean isLost() {
            return gone || world.now() - keptAt >= TTL.toNanos();
        }

        @Override
        public boolean replace(byte[] value) {
            byte[] sent = value.clone();
            return answerTo(
                    () -> {
                        boolean replaced = leases.contains(this) && there.replace(sent);
                        hint();
                        return replaced;
                    });
        }

        @Override
        public void close() {
            if (!gone) {
                gone = true;
                Optional<Boolean> unused =
                        new Call<>(
                                        () -> {
                                            end();
                                            return true;
                                        })
                                .ask();
            }
        }
    }
}
