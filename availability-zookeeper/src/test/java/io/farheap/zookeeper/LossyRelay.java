package io.farheap.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Passes on what a client and a server say, or one way only, or breaks all connections, or holds up
 * one connection's requests.
 */
final class LossyRelay implements AutoCloseable {
    private final ServerSocket entrance;
    private final int server;
    private final List<Socket> sockets = new ArrayList<>();
    private Loss loss = new Loss();

    /** What the connections lose that are not cut yet. */
    private static final class Loss {
        private volatile boolean answers;
        private volatile boolean requests;

        /** What makes it begin; null: nothing. */
        private volatile String mark;

        private volatile boolean keepsMarked;

        private void lookAt(String sent) {
            String sought = mark;
            if (sought != null && sent.contains(sought)) {
                answers = keepsMarked;
                requests = !keepsMarked;
            }
        }
    }

    /** A request that begins with a check, as a client writes it. */
    private static final String TRANSACTION = "\0\0\0\16\0\0\0\15";

    private final AtomicBoolean holdsNext = new AtomicBoolean();
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);

    /** The server's end of what is held; null: nothing is. */
    private volatile Socket held;

    LossyRelay(int server) throws IOException {
        this.server = server;
        this.entrance = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        Thread unused = Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    /** To a request that has this in it, and to all after it. */
    synchronized void loseAnswersTo(String text) {
        loss.keepsMarked = true;
        loss.mark = text;
    }

    /** One that has this in it, and all after it. */
    synchronized void loseRequestsFrom(String text) {
        loss.keepsMarked = false;
        loss.mark = text;
    }

    /** The next transaction that checks something, and all that its connection says after it. */
    void holdTransaction() {
        holdsNext.set(true);
    }

    boolean holds() {
        return held != null;
    }

    /** What is held goes to the server now, whether or not the client is there still. */
    void letGo() {
        letGo.countDown();
    }

    /** Whether the server has answered to what was held. */
    boolean hasAnswered() {
        return answered.getCount() == 0;
    }

    /** Whether such a request has come. */
    synchronized boolean loses() {
        return loss.answers || loss.requests;
    }

    /**
     * Connections that are made afterwards lose nothing; what is cut passes nothing on any more.
     */
    synchronized void cut() throws IOException {
        loss = new Loss();
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                Socket there = new Socket(InetAddress.getLoopbackAddress(), server);
                Loss losing = add(client, there);
                Thread unusedRequests =
                        Thread.ofVirtual().start(() -> pass(client, there, true, losing));
                Thread unusedAnswers =
                        Thread.ofVirtual().start(() -> pass(there, client, false, losing));
            }
        } catch (IOException e) {
            // the test has closed it
        }
    }

    private synchronized Loss add(Socket client, Socket there) {
        sockets.addAll(List.of(client, there));
        return loss;
    }

    private void pass(Socket from, Socket to, boolean request, Loss losing) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (request && holdsNext.get()) {
                    String sent = new String(buffer, 0, count, StandardCharsets.ISO_8859_1);
                    if (sent.contains(TRANSACTION) && holdsNext.compareAndSet(true, false)) {
                        hold(to, Arrays.copyOf(buffer, count));
                        return;
                    }
                }
                if (from == held && letGo.getCount() == 0) {
                    answered.countDown();
                }
                if (request) {
                    losing.lookAt(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
                }
                if (!(request ? losing.requests : losing.answers)) {
                    out.write(buffer, 0, count);
                }
            }
        } catch (IOException e) {
            // either end is gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does
        }
    }

    private void hold(Socket server, byte[] sent) throws IOException, InterruptedException {
        held = server;
        letGo.await();
        server.getOutputStream().write(sent);
        answered.await();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        cut();
        letGo.countDown();
        answered.countDown();
    }
}
