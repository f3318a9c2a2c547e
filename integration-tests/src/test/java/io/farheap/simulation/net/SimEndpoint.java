package io.farheap.simulation.net;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Waiters;
import io.farheap.simulation.engine.World;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One end of a {@link SimConnection}. */
final class SimEndpoint implements Connection {
    /** Messages that the peer has not taken yet. */
    private static final int MOST_UNREAD = 64;

    private static final long MESSAGE = -1;

    /** A message, or what a READ has brought to that place. */
    private record Arrival(byte[] bytes, long localOffset) {}

    private final SimConnection connection;
    private final World world;
    private final SimProcess owner;
    private final MemorySegment message =
            MemorySegment.ofArray(new long[MAX_MESSAGE_BYTES / Long.BYTES + 1]);
    private final List<Runnable> prepared = new ArrayList<>();
    private final ArrayDeque<Arrival> inbox = new ArrayDeque<>();
    private final Waiters waiters = new Waiters();
    private SimEndpoint peer;
    private Wire wire;
    private int unreadByPeer;
    private String broken;
    private boolean closed;
    private long requests;
    private long doorbells;
    private long completions;
    private long waits;
    private long bytes;

    SimEndpoint(SimConnection connection, World world, SimProcess owner) {
        this.connection = connection;
        this.world = world;
        this.owner = owner;
    }

    void connectTo(SimEndpoint other, Wire outgoing) {
        peer = other;
        wire = outgoing;
    }

    /** It will not work any more, from the instant it notices. */
    void noticeBreak(String why) {
        if (broken == null) {
            broken = why;
            waiters.wake();
        }
    }

    /** Whether what arrives here still has an effect. */
    boolean isThere() {
        return !closed && !owner.isDead() && owner.machine().isUp();
    }

    private void throwIfBroken() {
        if (closed || broken != null) {
            throw new FarheapException(
                    FarheapException.Category.REPLICA,
                    closed ? "the connection was closed" : "the connection broke: " + broken);
        }
    }

    @Override
    public long remoteBytes() {
        return connection.memory().region().byteSize();
    }

    @Override
    public boolean canSend(int length) {
        return unreadByPeer + prepared.size() < MOST_UNREAD;
    }

    @Override
    public void send(MemorySegment from, long offset, int length) {
        throwIfBroken();
        byte[] copy = from.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        unreadByPeer++;
        prepare(
                length,
                () -> {
                    connection.finishWritesBefore(this);
                    peer.receive(copy);
                });
    }

    private void receive(byte[] arrived) {
        if (isThere() && connection.isIntact()) {
            inbox.add(new Arrival(arrived, MESSAGE));
            waiters.wake();
        }
    }

    @Override
    public void write(long localOffset, int length, long remoteOffset) {
        throwIfBroken();
        prepare(length, () -> connection.arriving(localOffset, length, remoteOffset));
    }

    @Override
    public long publishedBytes() {
        return connection.memory().published().byteSize();
    }

    @Override
    public void read(long localOffset, int length, long remoteOffset) {
        read(connection.memory().region(), localOffset, length, remoteOffset);
    }

    @Override
    public void readPublished(long localOffset, int length, long publishedOffset) {
        read(connection.memory().published(), localOffset, length, publishedOffset);
    }

    private void read(MemorySegment from, long localOffset, int length, long offset) {
        throwIfBroken();
        prepare(
                length,
                () -> {
                    byte[] found = connection.reading(from, offset, length);
                    peer.wire.send(() -> readArrived(found, localOffset));
                });
    }

    private void readArrived(byte[] found, long localOffset) {
        if (isThere()) {
            MemorySegment into = connection.memory().into();
            MemorySegment.copy(found, 0, into, ValueLayout.JAVA_BYTE, localOffset, found.length);
            inbox.add(new Arrival(found, localOffset));
            waiters.wake();
        }
    }

    private void prepare(int length, Runnable effect) {
        requests++;
        bytes += length;
        prepared.add(
                () -> {
                    if (peer.isThere()) {
                        effect.run();
                    }
                });
    }

    @Override
    public void post() {
        throwIfBroken();
        world.point();
        doorbells++;
        prepared.forEach(wire::send);
        prepared.clear();
    }

    @Override
    public int poll(CompletionHandler handler) {
        throwIfBroken();
        int count = 0;
        for (Arrival next = inbox.poll(); next != null; next = inbox.poll()) {
            count++;
            completions++;
            int length = next.bytes().length;
            if (next.localOffset() == MESSAGE) {
                peer.unreadByPeer--;
                MemorySegment.copy(next.bytes(), 0, message, ValueLayout.JAVA_BYTE, 0, length);
                handler.received(message, 0, length);
            } else {
                handler.readDone(next.localOffset(), length);
            }
        }
        return count;
    }

    @Override
    public int await(CompletionHandler handler, long nanos, boolean crowded) {
        throwIfBroken();
        waits++;
        boolean unused = waiters.await(() -> closed || broken != null || !inbox.isEmpty(), nanos);
        return poll(handler);
    }

    @Override
    public FabricCounters counters() {
        return new FabricCounters(requests, doorbells, completions, waits, bytes);
    }

    @Override
    public String peer() {
        return "sim";
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            waiters.wake();
            connection.ended(this);
        }
    }
}
