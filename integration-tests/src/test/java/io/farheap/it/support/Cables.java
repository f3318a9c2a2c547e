package io.farheap.it.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * What lies between the programs' machine and the targets: the control connections' streams, and
 * the data connections where they run through ssh. Carries bytes, counts them, and is broken as a
 * test says. It runs in the test's own process; the stand-in for ssh leaves a note for each
 * connection in {@link #notes}, and named pipes for its streams.
 */
public final class Cables implements AutoCloseable {
    /** One direction of one of the two connections. */
    public enum Lane {
        CONTROL_THERE,
        CONTROL_BACK,
        DATA_THERE,
        DATA_BACK;

        /** Away from who has made the connection. */
        public boolean isThere() {
            return this == CONTROL_THERE || this == DATA_THERE;
        }
    }

    /** Who has made a connection, and to whom: machines, as a test calls them. */
    public record Route(String from, String to) {}

    /** What becomes of bytes. */
    public enum Fate {
        CARRIED,

        /** They arrive as soon as they are carried. */
        HELD,

        /** They never arrive, and where the next ones would be carried, the connection ends. */
        LOST
    }

    /** What becomes of what is sent now. */
    public interface Disturbance {
        Fate of(Route route, Lane lane);
    }

    private static final int CHUNK = 1 << 16;
    private static final long PAUSE_NANOS = 5_000_000;
    private static final String FORWARD = ".forward";
    private static final String CONTROL = ".control";

    private final Path notes;
    private final Map<Lane, AtomicLong> carried = new EnumMap<>(Lane.class);
    private final Map<Lane, AtomicInteger> toGarble = new EnumMap<>(Lane.class);
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
    private final List<SocketChannel> dataEnds = new CopyOnWriteArrayList<>();
    private final RandomGenerator random;
    private final Thread watcher;
    private volatile boolean cut;
    private volatile Disturbance disturbance = (route, lane) -> Fate.CARRIED;
    private volatile long delayNanos;
    private volatile boolean closed;

    Cables(Path notes, RandomGenerator random) {
        this.notes = notes;
        this.random = random;
        for (Lane lane : Lane.values()) {
            carried.put(lane, new AtomicLong());
            toGarble.put(lane, new AtomicInteger());
        }
        watcher = Thread.ofPlatform().daemon().name("cables").start(this::watch);
    }

    // ---- what a test does ----

    /** Swallows everything, both ways, the end of a connection included. */
    public void cut() {
        cut = true;
    }

    /**
     * Ends the data connections that there are, and no control connection.
     *
     * @return how many ends there were
     */
    public int breakData() throws IOException {
        List<SocketChannel> ends = List.copyOf(dataEnds);
        dataEnds.removeAll(ends);
        for (SocketChannel end : ends) {
            end.close();
        }
        return ends.size();
    }

    /** Carries what comes from now on. */
    public void mend() {
        cut = false;
        delayNanos = 0;
    }

    /** From now on, on each route and at each moment. */
    public void disturb(Disturbance how) {
        disturbance = how;
    }

    /**
     * What listens on a port of this machine is reached through here, any number of times.
     *
     * @return the port to connect to instead
     */
    public int lead(Route route, int port) throws IOException {
        ServerSocketChannel entrance = ServerSocketChannel.open();
        entrance.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        open.add(entrance);
        Thread unused =
                Thread.ofPlatform()
                        .daemon()
                        .name("entrance")
                        .start(
                                () -> {
                                    while (entrance.isOpen()) {
                                        connect(entrance, route, "127.0.0.1", port);
                                    }
                                });
        return entrance.socket().getLocalPort();
    }

    /** Every piece arrives so much later. */
    public void slowDown(long millis) {
        delayNanos = millis * 1_000_000;
    }

    /** Flips one bit of the next piece in that direction. */
    public void garbleNext(Lane lane) {
        toGarble.get(lane).set(1);
    }

    /** From now on everything arrives as it was sent. */
    public void garbleNothing() {
        toGarble.values().forEach(left -> left.set(0));
    }

    /** Bytes that arrived. */
    public long carried(Lane lane) {
        return carried.get(lane).get();
    }

    // ---- connections ----

    private void watch() {
        while (!closed) {
            try (DirectoryStream<Path> found =
                    Files.newDirectoryStream(notes, "*.{forward,control}")) {
                for (Path note : found) {
                    connect(note);
                }
            } catch (IOException e) {
                if (!closed) {
                    throw new UncheckedIOException(e);
                }
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    private void connect(Path note) throws IOException {
        String name = note.getFileName().toString();
        String text = Files.readString(note).strip();
        Files.delete(note);
        String[] words = text.split("\\s+");
        Route route = new Route(words[0], words[1]);
        if (name.endsWith(FORWARD)) {
            forward(route, words[2]);
        } else {
            Path base = note.resolveSibling(name.substring(0, name.length() - CONTROL.length()));
            carry(route, Lane.CONTROL_THERE, () -> pipe(base, "in"), () -> sink(base, "there"));
            carry(route, Lane.CONTROL_BACK, () -> pipe(base, "back"), () -> sink(base, "out"));
        }
    }

    private static InputStream pipe(Path base, String which) throws IOException {
        return Files.newInputStream(Path.of(base + "." + which));
    }

    private static OutputStream sink(Path base, String which) throws IOException {
        return Files.newOutputStream(Path.of(base + "." + which));
    }

    /** {@code SOCKET:HOST:HOSTPORT}, without brackets. */
    private void forward(Route route, String specification) throws IOException {
        String[] words = specification.split(":");
        ServerSocketChannel entrance = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            entrance.bind(UnixDomainSocketAddress.of(words[0]));
        } catch (IOException e) {
            entrance.close();
            if (Files.isDirectory(Path.of(words[0]).getParent())) {
                throw e;
            }
            return; // who asked for it has given up meanwhile, and has removed its directory
        }
        open.add(entrance);
        Thread unused =
                Thread.ofPlatform()
                        .daemon()
                        .name("entrance")
                        .start(() -> accept(entrance, route, words[1], words[2]));
    }

    /** There is one connection. */
    private void accept(ServerSocketChannel entrance, Route route, String host, String port) {
        try (entrance) {
            connect(entrance, route, host, Integer.parseInt(port));
        } catch (IOException gone) {
            return; // nobody waits for it
        }
    }

    private void connect(ServerSocketChannel entrance, Route route, String host, int port) {
        try {
            SocketChannel client = entrance.accept();
            open.add(client);
            SocketChannel target = SocketChannel.open();
            open.add(target);
            try {
                boolean unused =
                        target.connect(new InetSocketAddress(InetAddress.getByName(host), port));
            } catch (IOException e) {
                client.close();
                throw e;
            }
            target.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (entrance.getLocalAddress() instanceof UnixDomainSocketAddress) {
                dataEnds.addAll(List.of(client, target));
            }
            carry(route, Lane.DATA_THERE, () -> in(client), () -> out(target));
            carry(route, Lane.DATA_BACK, () -> in(target), () -> out(client));
        } catch (IOException gone) {
            return; // one end is; the other finds that out by the end of this connection
        }
    }

    /** The streams of a channel exclude each other; these don't. */
    private static InputStream in(SocketChannel end) {
        return Channels.newInputStream(
                new ReadableByteChannel() {
                    @Override
                    public int read(ByteBuffer into) throws IOException {
                        return end.read(into);
                    }

                    @Override
                    public boolean isOpen() {
                        return end.isOpen();
                    }

                    @Override
                    public void close() throws IOException {
                        end.close();
                    }
                });
    }

    private static OutputStream out(SocketChannel end) {
        return Channels.newOutputStream(
                new WritableByteChannel() {
                    @Override
                    public int write(ByteBuffer from) throws IOException {
                        return end.write(from);
                    }

                    @Override
                    public boolean isOpen() {
                        return end.isOpen();
                    }

                    @Override
                    public void close() throws IOException {
                        end.close();
                    }
                });
    }

    private interface Opening<T> {
        T open() throws IOException;
    }

    private void carry(
            Route route, Lane lane, Opening<InputStream> from, Opening<OutputStream> to) {
        Thread unused =
                Thread.ofPlatform()
                        .daemon()
                        .name(lane.toString())
                        .start(() -> pump(route, lane, from, to));
    }

    private void pump(Route route, Lane lane, Opening<InputStream> from, Opening<OutputStream> to) {
        byte[] chunk = new byte[CHUNK];
        boolean lost = false;
        try (InputStream source = from.open();
                OutputStream target = to.open()) {
            for (int n = source.read(chunk); n >= 0; n = source.read(chunk)) {
                delay();
                Fate fate = awaitFate(route, lane);
                if (lost && fate == Fate.CARRIED) {
                    return; // no connection goes on behind a hole
                }
                lost |= fate == Fate.LOST;
                if (!cut && fate == Fate.CARRIED) {
                    garble(lane, chunk, n);
                    target.write(chunk, 0, n);
                    target.flush();
                    carried.get(lane).getAndAdd(n);
                }
            }
            while ((cut || disturbance.of(route, lane) != Fate.CARRIED) && !closed) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        } catch (IOException gone) {
            return; // one end is; the other finds that out by the end of this connection
        }
    }

    private Fate awaitFate(Route route, Lane lane) {
        Fate fate = disturbance.of(route, lane);
        while (fate == Fate.HELD && !closed) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
            fate = disturbance.of(route, lane);
        }
        return fate;
    }

    private void delay() {
        long until = System.nanoTime() + delayNanos;
        for (long left = delayNanos; left > 0 && !closed; left = until - System.nanoTime()) {
            LockSupport.parkNanos(this, Math.min(left, PAUSE_NANOS));
        }
    }

    private void garble(Lane lane, byte[] chunk, int length) {
        if (toGarble.get(lane).compareAndSet(1, 0)) {
            int bit;
            synchronized (random) {
                bit = random.nextInt(length * 8);
            }
            chunk[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }

    /** When this returns nobody touches the notes any more. */
    @Override
    public void close() {
        closed = true;
        try {
            watcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        List<Exception> failures = new ArrayList<>();
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.get(0));
        }
    }
}
