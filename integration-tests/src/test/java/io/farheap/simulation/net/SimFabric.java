package io.farheap.simulation.net;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Waiters;
import io.farheap.simulation.engine.World;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A fabric with the semantics of reliable connections between network cards, the weak points
 * included: a WRITE reaches memory in any order of its words, in several steps, and after WRITEs
 * that were posted behind it; only a message or a READ finds all there that was posted before it,
 * and only a READ makes it durable. What a dead connection still had on its way may arrive until
 * the target has destroyed its end.
 */
public final class SimFabric implements Fabric {
    private final World world;
    private final Function<Machine, Link> links;
    private final Consumer<Machine> pushes;
    private final Map<Integer, Listener> listeners = new HashMap<>();
    private int lastPort = 1000;

    /**
     * @param links the link to each target
     * @param pushes makes durable, on a target, what was stored there before: a READ does
     */
    public SimFabric(World world, Function<Machine, Link> links, Consumer<Machine> pushes) {
        this.world = world;
        this.links = links;
        this.pushes = pushes;
    }

    private final class Listener implements TargetListener {
        private final int port;
        private final byte[] secret;
        private final MemorySegment region;
        private final MemorySegment published;
        private final SimProcess process = world.process();
        private final Waiters waiters = new Waiters();
        private SimEndpoint accepted;
        private boolean closed;

        Listener(int port, byte[] secret, MemorySegment region, MemorySegment published) {
            this.port = port;
            this.secret = secret.clone();
            this.region = region;
            this.published = published;
            if (published.byteSize() > 0) {
                world.count(Happening.BY_READS);
            }
            process.atDeath(this::close);
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public Endpoint accept(Duration bound) {
            boolean unused = waiters.await(() -> accepted != null || closed, bound.toNanos());
            if (accepted == null) {
                throw replica("no initiator came within " + bound.toMillis() + " ms");
            }
            return accepted;
        }

        @Override
        public void close() {
            closed = true;
            listeners.remove(port);
            waiters.wake();
        }
    }

    private static FarheapException replica(String what) {
        return new FarheapException(FarheapException.Category.REPLICA, what);
    }

    @Override
    public TargetListener listen(
            InetAddress address,
            int port,
            byte[] secret,
            MemorySegment region,
            MemorySegment published) {
        Listener listener = new Listener(++lastPort, secret, region, published);
        listeners.put(listener.port, listener);
        return listener;
    }

    @Override
    public Connection connect(
            InetSocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Duration bound) {
        Listener listener = listeners.get(target.getPort());
        if (listener == null) {
            throw replica(target + ": Connection refused");
        }
        Link link = links.apply(listener.process.machine());
        Attempt attempt = new Attempt(listener, link, local, into, secret);
        var unused = world.at(link.arrivalOfRequest(), attempt::arrive);
        return attempt.await(target, bound);
    }

    /** An initiator on its way to a listener, and back. */
    private final class Attempt {
        private final Listener listener;
        private final Link link;
        private final MemorySegment local;
        private final MemorySegment into;
        private final byte[] secret;
        private final SimProcess initiator = world.process();
        private final Waiters answer = new Waiters();
        private SimConnection made;
        private boolean answered;
        private boolean over;

        Attempt(
                Listener listener,
                Link link,
                MemorySegment local,
                MemorySegment into,
                byte[] secret) {
            this.listener = listener;
            this.link = link;
            this.local = local;
            this.into = into;
            this.secret = secret.clone();
        }

        void arrive() {
            if (over || !listener.process.machine().isUp()) {
                return;
            }
            if (!listener.closed && Arrays.equals(secret, listener.secret)) {
                made =
                        SimConnection.open(
                                link,
                                initiator,
                                listener.process,
                                new SimConnection.Memory(
                                        local, into, listener.region, listener.published),
                                () -> pushes.accept(listener.process.machine()));
                listener.accepted = made.target();
                listener.close();
            }
            var unused = world.at(link.arrivalOfAnswer(), this::answer);
        }

        private void answer() {
            answered = true;
            answer.wake();
        }

        Connection await(InetSocketAddress target, Duration bound) {
            boolean done = answer.await(() -> answered, bound.toNanos());
            over = true;
            if (made != null && done) {
                return made.initiator();
            }
            if (made != null) {
                made.initiator().close();
            }
            throw replica(target + (done ? ": Connection refused" : ": Connection timed out"));
        }
    }
}
