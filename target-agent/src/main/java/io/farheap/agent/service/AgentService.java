package io.farheap.agent.service;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.ListenSettings;
import io.farheap.agent.data.Caller;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.lock.Neighbours;
import io.farheap.agent.log.AgentLog;
import io.farheap.agent.session.Session;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.fabric.tcp.DataDoors;
import io.farheap.replication.tls.TlsChannel;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedSelectorException;
import java.util.HashMap;
import java.util.Map;

/**
 * The agent as a process that runs on: serves all initiators that come to its port within TLS, a
 * session and its threads for each. What one session meets ends that one at most.
 */
public final class AgentService implements AutoCloseable {
    /** Sessions at once of one certificate's name, and of all: each has some threads. */
    static final int MOST_OF_ONE = 512;

    static final int MOST = 2048;

    /** How often it is looked for orders of other processes. */
    private static final long ORDERS_MILLIS = 200;

    private final AgentLog log;
    private final Acceptor acceptor;
    private final DataDoors doors = new DataDoors();
    private final Neighbours neighbours = Neighbours.inService();
    private final ServiceFiles files;
    private final ServiceFigures figures = new ServiceFigures();
    private final String address;
    private final Map<String, Integer> sessions = new HashMap<>(); // guarded by itself
    private int all; // guarded by sessions

    /**
     * Takes the port.
     *
     * @throws FarheapException category ENVIRONMENT when that is not possible
     */
    public AgentService(InetSocketAddress address, ServiceFiles files, AgentLog log) {
        this.log = log;
        this.files = files;
        try {
            this.acceptor =
                    new Acceptor(address, files, log, this::serve, figures::connectionRefused);
        } catch (IOException e) {
            throw FarheapException.environment(
                    e,
                    "The agent cannot listen on %s port %s: %s. See who does (ss -ltnp), or name"
                            + " another port.",
                    address.getHostString(),
                    address.getPort(),
                    e.getMessage());
        }
        if (files.configuration().listening().allowances().isEmpty()) {
            log.warn("No line \"allow\" is set: nobody may do anything.");
        }
        this.address = address.getHostString() + ":" + acceptor.port();
        log.notice("Listening on " + address.getHostString() + " port " + acceptor.port() + ".");
    }

    int port() {
        return acceptor.port();
    }

    /** Has the configuration and the certificates read soon. On any thread. */
    public void readAnew() {
        acceptor.readAnew();
    }

    /** Serves until this is closed. */
    public void run() {
        Thread orders = Thread.ofPlatform().daemon().name("orders").start(this::heedOrders);
        ListenSettings settings = files.configuration().listening();
        Thread metrics =
                Thread.ofPlatform().daemon().name("metrics").unstarted(() -> tell(settings));
        try {
            if (settings.metrics() != null) {
                metrics.start();
            }
            acceptor.run();
        } catch (ClosedSelectorException e) {
            log.notice("Listening no more.");
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "The agent cannot listen any more: %s", e.getMessage());
        } finally {
            orders.interrupt();
            metrics.interrupt();
        }
    }

    /** Writes metrics, and again in a while. No fault of it ends the service. */
    private void tell(ListenSettings settings) {
        long startMillis = System.currentTimeMillis();
        MetricsFile file = new MetricsFile(settings.metrics(), log);
        try {
            while (true) {
                try {
                    file.write(
                            AgentMetrics.of(
                                    address,
                                    startMillis,
                                    files.expiry(),
                                    figures,
                                    System.currentTimeMillis()));
                } catch (RuntimeException | Error e) {
                    log.error("A fault where metrics are told", e);
                }
                Thread.sleep(settings.metricsInterval().toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody is served any more
        }
    }

    private void heedOrders() {
        try {
            while (true) {
                Thread.sleep(ORDERS_MILLIS);
                neighbours.heedOrders();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody is served any more
        }
    }

    /** In the acceptor's thread: does not wait. */
    private void serve(Arrival arrival) {
        String name = arrival.names().get(0);
        if (arrival.bringsData()) {
            if (!doors.bring(arrival.label(), name, arrival.channel())) {
                refuse(arrival, "it brings a data connection that nobody of its name waits for");
            }
            return;
        }
        if (!admit(name)) {
            sayAndRefuse(arrival, name);
            return;
        }
        boolean started = false;
        try {
            Thread unused =
                    Thread.ofPlatform()
                            .daemon()
                            .name("session " + name)
                            .start(() -> converse(arrival, name));
            started = true;
        } finally {
            if (!started) {
                leave(name);
            }
        }
    }

    private void converse(Arrival arrival, String name) {
        TlsChannel channel = arrival.channel();
        figures.sessionBegins();
        boolean good = false;
        try {
            channel.socket().configureBlocking(true);
            InetSocketAddress local = (InetSocketAddress) channel.socket().getLocalAddress();
            AgentConfiguration configuration = arrival.configuration();
            Caller caller =
                    new TlsCaller(
                            arrival.names(), configuration, local, doors, neighbours, figures);
            InputStream in = Channels.newInputStream(channel);
            OutputStream out = new Out(channel);
            log.info("A session of " + name + " from " + arrival.from() + " begins.");
            Session session =
                    new Session(
                            configuration,
                            TargetMachine.here(),
                            caller,
                            new LineChannel(in, out),
                            log);
            good = session.run();
            log.info("A session of " + name + " ended " + (good ? "in good order." : "early."));
        } catch (IOException e) {
            log.warn("A session of " + name + " could not begin: " + e.getMessage());
        } catch (RuntimeException | Error e) { // none of them ends the service
            log.error("A fault in a session of " + name, e);
        } finally {
            figures.sessionEnds(good);
            close(channel);
            leave(name);
        }
    }

    private boolean admit(String name) {
        synchronized (sessions) {
            int of = sessions.getOrDefault(name, 0);
            if (of >= MOST_OF_ONE || all >= MOST) {
                return false;
            }
            sessions.put(name, of + 1);
            all++;
            return true;
        }
    }

    private void leave(String name) {
        synchronized (sessions) {
            all--;
            if (sessions.merge(name, -1, Integer::sum) == 0) {
                sessions.remove(name);
            }
        }
    }

    private void sayAndRefuse(Arrival arrival, String name) {
        Refusal why =
                new Refusal(
                        Code.BUSY,
                        "The target has "
                                + MOST_OF_ONE
                                + " sessions of "
                                + name
                                + ", or "
                                + MOST
                                + " of all, and takes no more.",
                        "End some of them.");
        byte[] line = ControlCodec.encode(why.toReply());
        ByteBuffer said = ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
        try {
            int unused = arrival.channel().write(said); // so short that it leaves at once
        } catch (IOException e) {
            log.info("Nobody heard why a session was refused: " + e.getMessage());
        }
        refuse(arrival, why.getMessage());
    }

    private void refuse(Arrival arrival, String why) {
        figures.connectionRefused();
        log.warn("A connection from " + arrival.from() + " was refused: " + why);
        close(arrival.channel());
    }

    private void close(TlsChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            log.info("A connection could not be closed: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        acceptor.close();
    }

    /** Not that of {@link Channels}: it and its counterpart would have one lock. */
    private static final class Out extends OutputStream {
        private final TlsChannel channel;

        Out(TlsChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
            while (left.hasRemaining()) {
                int unused = channel.write(left);
            }
        }
    }
}
