package io.farheap.simulation.net;

import io.farheap.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
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
import java.util.function.Function;

/**
 * A fabric with the semantics of reliable connections between network cards, the weak points
 * included: a WRITE reaches memory in any order of its words, in several steps, and after WRITEs
 * that were posted behind it; only a message finds all there that was posted before it. What a dead
 * connection still had on its way may arrive until the target has destroyed its end.
 */
public final class SimFabric implements Fabric {
    private final World world;
    private final Function<Machine, Link> links;
    private final Map<Integer, Listener> listeners = new HashMap<>();
    private int lastPort = 1000;

    /**
     * @param links the link to each target
     */
    public SimFabric(World world, Function<Machine, Link> links) {
        this.world = world;
        this.links = links;
    }

    private final class Listener implements TargetListener {
        private final int port;
        private final byte[] secret;
        private final MemorySegment region;
        private final SimProcess process = world.process();
        private final Waiters waiters = new Waiters();
        private SimEndpoint accepted;
        private boolean closed;

        Listener(int port, byte[] secret, MemorySegment region) {
            this.port = port;
            this.secret = secret.clone();
            this.region = region;
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
        Listener listener = new Listener(++lastPort, secret, region);
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
        Attempt attempt = new Attempt(listener, link, local, secret);
        var unused = world.at(link.arrivalOfRequest(), attempt::arrive);
        return attempt.await(target, bound);
    }

    /** An initiator on its way to a listener, and back. */
    private final class Attempt {
        private final Listener listener;
        private final Link link;
        private final MemorySegment local;
        private final byte[] secret;
        private final SimProcess initiator = world.process();
        private final Waiters answer = new Waiters();
        private SimConnection made;
        private boolean answered;
        private boolean over;

        Attempt(Listener listener, Link link, MemorySegment local, byte[] secret) {
            this.listener = listener;
            this.link = link;
            this.local = local;
            this.secret = secret.clone();
        }

        void arrive() {
            if (over || !listener.process.machine().isUp()) {
                return;
            }
            if (!listener.closed && Arrays.equals(secret, listener.secret)) {
                made =
                        SimConnection.open(
                                link, initiator, listener.process, local, listener.region);
                listener.accepted = made.target();
                listener.close();
            }
            var unused = world.at(link.arrival(), this::answer);
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
