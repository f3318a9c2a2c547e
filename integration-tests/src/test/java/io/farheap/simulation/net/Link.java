package io.farheap.simulation.net;

import io.farheap.simulation.engine.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The network between the initiator's machine and one target: how long things take, and what
 * happens to connections when it breaks. Chance is the world's.
 */
public final class Link {
    private final World world;
    private final Random random;
    private final List<Breakable> connections = new ArrayList<>();
    private long fastest;
    private long slowest;
    private long blockedUntil;
    private long requestsBlockedUntil;
    private long answersBlockedUntil;
    private boolean garblesRecord;
    private boolean garblesMessage;

    /** What ends when the link is cut. */
    public interface Breakable {
        /** Both ends will notice, each in its own time. */
        void breakDown(String why);

        boolean isOver();
    }

    /** A link on which a message takes between so many nanoseconds and so many. */
    public Link(World world, long fastest, long slowest) {
        this.world = world;
        this.random = world.random();
        this.fastest = fastest;
        this.slowest = slowest;
    }

    World world() {
        return world;
    }

    /** Messages take longer, or shorter, from now on. */
    public void setLatency(long newFastest, long newSlowest) {
        fastest = newFastest;
        slowest = newSlowest;
    }

    /** When a message sent now to the target arrives. */
    public long arrivalOfRequest() {
        return later(arrival(), requestsBlockedUntil);
    }

    /** When a message sent now to the initiator arrives. */
    long arrivalOfAnswer() {
        return later(arrival(), answersBlockedUntil);
    }

    private long later(long arrival, long until) {
        return until <= world.now() ? arrival : until + arrival - world.now();
    }

    /** When a message sent now arrives. */
    long arrival() {
        long latency = fastest + random.nextLong(slowest - fastest + 1);
        if (random.nextInt(50) == 0) {
            latency += random.nextLong(20 * slowest);
        }
        return Math.max(world.now(), blockedUntil) + latency;
    }

    /** Nothing arrives for so long, and nobody is told: half-open connections. */
    public void block(long nanos) {
        blockedUntil = Math.max(blockedUntil, world.now() + nanos);
        world.note("the network is silent for " + nanos / 1_000_000 + " ms");
    }

    /** The same of what goes to the target. */
    public void blockRequests(long nanos) {
        requestsBlockedUntil = Math.max(requestsBlockedUntil, world.now() + nanos);
    }

    /** The same of what goes to the initiator. */
    public void blockAnswers(long nanos) {
        answersBlockedUntil = Math.max(answersBlockedUntil, world.now() + nanos);
    }

    /** Everything arrives again. */
    public void heal() {
        blockedUntil = Math.min(blockedUntil, world.now());
        requestsBlockedUntil = Math.min(requestsBlockedUntil, world.now());
        answersBlockedUntil = Math.min(answersBlockedUntil, world.now());
    }

    /** Of the next record that arrives some bytes are others, and the fabric does not notice. */
    public void garbleRecord() {
        garblesRecord = true;
    }

    /** The next message arrives with other bytes; the fabric notices. */
    public void garbleMessage() {
        garblesMessage = true;
    }

    /** What arrives from now on is what was sent. */
    public void garbleNothing() {
        garblesRecord = false;
        garblesMessage = false;
    }

    /** Whether this record is the one that is garbled. */
    boolean takeGarbledRecord() {
        boolean garbled = garblesRecord;
        garblesRecord = false;
        return garbled;
    }

    /** Whether this message is the one that is garbled. */
    boolean takeGarbledMessage() {
        boolean garbled = garblesMessage;
        garblesMessage = false;
        return garbled;
    }

    boolean isBlocked() {
        return blockedUntil > world.now();
    }

    void add(Breakable connection) {
        connections.removeIf(Breakable::isOver);
        connections.add(connection);
    }

    /** Whether there is a connection that could break. */
    public boolean isUsed() {
        connections.removeIf(Breakable::isOver);
        return !connections.isEmpty();
    }

    /** All connections break. */
    public void cut(String why) {
        world.note("cut: " + why);
        List<Breakable> broken = List.copyOf(connections);
        connections.clear();
        broken.forEach(each -> each.breakDown(why));
    }

    /** One of the connections breaks. */
    public void cutOne(String why) {
        connections.removeIf(Breakable::isOver);
        if (!connections.isEmpty()) {
            world.note("cut of one: " + why);
            connections.remove(random.nextInt(connections.size())).breakDown(why);
        }
    }
}
