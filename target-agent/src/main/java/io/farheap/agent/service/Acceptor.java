package io.farheap.agent.service;

import io.farheap.agent.log.AgentLog;
import io.farheap.replication.tls.TlsFaults;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The port of an agent that listens: whoever comes is looked at beside the others, a bounded time
 * and a bounded number at once; strangers, however many and however slow, don't keep an initiator
 * waiting. For one thread, but for {@link #close} and {@link #readAnew}.
 */
final class Acceptor implements AutoCloseable {
    /** Until it is known who comes. */
    static final Duration BOUND = Duration.ofSeconds(5);

    /** How many are looked at at once; who comes then makes the oldest one that was silent go. */
    static final int MOST = 64;

    private static final int BACKLOG = 1024;
    private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_MILLIS = 100;

    private final ServiceFiles files;
    private final AgentLog log;
    private final Consumer<Arrival> known;
    private final Runnable refused;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final Set<Arrival> arrivals = new LinkedHashSet<>();
    private volatile boolean asked;
    private long silent;
    private String lastSilent = "";
    private long refreshedNanos = System.nanoTime();
    private long toldNanos = System.nanoTime() - TOLD_NANOS;

    /**
     * @param known takes who is through, not blocking and on no selector; must not wait
     * @param refused told of each that said something and is not let through
     */
    Acceptor(
            InetSocketAddress address,
            ServiceFiles files,
            AgentLog log,
            Consumer<Arrival> known,
            Runnable refused)
            throws IOException {
        this.files = files;
        this.log = log;
        this.known = known;
        this.refused = refused;
        this.selector = Selector.open();
        this.server = ServerSocketChannel.open();
        try {
            server.configureBlocking(false);
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(address, BACKLOG);
            SelectionKey unused = server.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    int port() {
        return server.socket().getLocalPort();
    }

    /** Looks at all that come, until this is closed. */
    void run() throws IOException {
        List<SelectionKey> ready = new ArrayList<>();
        while (selector.isOpen()) {
            ready.clear();
            int unused = selector.select(ready::add, waitMillis());
            if (asked) {
                asked = false; // before the files are read: they may change once more meanwhile
                files.readAnew(log);
            }
            for (SelectionKey key : ready) {
                if (key.channel() == server) {
                    acceptAll();
                } else if (key.isValid()) {
                    advance((Arrival) key.attachment());
                }
            }
            dismissLate();
            tellSilent();
            if (System.nanoTime() - refreshedNanos >= TOLD_NANOS) {
                refresh(); // also while nobody comes: what is told of the certificate is of the new
                // one
            }
        }
    }

    /** Has the files read soon, whether they seem to have changed or not. On any thread. */
    void readAnew() {
        asked = true;
        Selector unused = selector.wakeup();
    }

    private long waitMillis() {
        long now = System.nanoTime();
        long left = TOLD_NANOS;
        for (Arrival first : arrivals) {
            left = Math.min(left, first.nanosLeft(now)); // the oldest is the first
            break;
        }
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(left) + 1);
    }

    private void refresh() {
        files.refresh(log);
        refreshedNanos = System.nanoTime();
    }

    private void acceptAll() throws IOException {
        refresh();
        for (int i = 0; i < MOST; i++) {
            SocketChannel socket;
            try {
                socket = server.accept();
            } catch (IOException e) {
                if (!server.isOpen()) {
                    return;
                }
                log.error("Nobody can be let in: " + e.getMessage(), e);
                pause(); // no descriptor is free; without this it would be tried without end
                return;
            }
            if (socket == null) {
                return;
            }
            welcome(socket);
        }
    }

    private void welcome(SocketChannel socket) {
        try {
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Arrival arrival = new Arrival(files, socket, System.nanoTime() + BOUND.toNanos());
            SelectionKey unused = socket.register(selector, SelectionKey.OP_READ, arrival);
            if (arrivals.size() >= MOST) {
                makeRoom();
            }
            arrivals.add(arrival);
        } catch (IOException | RuntimeException e) {
            log.info("Somebody came and went: " + e.getMessage());
            close(socket);
        }
    }

    /** The oldest that has said nothing, or else the oldest. */
    private void makeRoom() {
        Arrival one =
                arrivals.stream()
                        .filter(each -> !each.channel().hasHeard())
                        .findFirst()
                        .orElseGet(() -> arrivals.iterator().next());
        dismiss(one, "others wanted its place, and it was the slowest");
    }

    private void advance(Arrival arrival) {
        try {
            int needed = arrival.advance();
            if (needed != 0) {
                SelectionKey key = arrival.channel().socket().keyFor(selector);
                key.interestOps(needed);
                return;
            }
            boolean unused = arrivals.remove(arrival);
            arrival.channel().socket().keyFor(selector).cancel();
            int unusedCount = selector.selectNow();
            known.accept(arrival);
        } catch (IOException e) {
            dismiss(arrival, TlsFaults.clause(e));
        } catch (RuntimeException | Error e) { // none of them ends the service
            log.error("A fault at a connection from " + arrival.from(), e);
            dismiss(arrival, "by a fault: " + e);
        }
    }

    private void dismissLate() {
        long now = System.nanoTime();
        List<Arrival> late = new ArrayList<>();
        for (Arrival each : arrivals) {
            if (!each.isLate(now)) {
                break;
            }
            late.add(each);
        }
        late.forEach(each -> dismiss(each, "it took longer than " + BOUND.toSeconds() + " s"));
    }

    private void dismiss(Arrival arrival, String why) {
        boolean unused = arrivals.remove(arrival);
        close(arrival.channel().socket());
        if (arrival.channel().hasHeard()) {
            refused.run();
            log.warn("A connection from " + arrival.from() + " was refused: " + why + ".");
        } else {
            silent++;
            lastSilent = arrival.from();
        }
    }

    /** Of any number of them one line in a while: they must not fill the log. */
    private void tellSilent() {
        if (silent > 0 && System.nanoTime() - toldNanos >= TOLD_NANOS) {
            log.warn(
                    silent
                            + (silent == 1 ? " connection" : " connections")
                            + " that said nothing ended, the last of them from "
                            + lastSilent
                            + ".");
            silent = 0;
            toldNanos = System.nanoTime();
        }
    }

    private void close(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            log.info("A connection could not be closed: " + e.getMessage());
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            selector.close();
            server.close();
        } catch (IOException e) {
            log.info("The port could not be closed: " + e.getMessage());
        }
    }
}
