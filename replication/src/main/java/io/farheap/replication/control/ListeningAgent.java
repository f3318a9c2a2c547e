package io.farheap.replication.control;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.tls.PemFiles;
import io.farheap.replication.tls.TlsChannel;
import io.farheap.replication.tls.TlsDialler;
import io.farheap.replication.tls.TlsFaults;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;

/**
 * An agent that listens, reached within TLS. The connection is made by whoever reaches for it or
 * reads first: to make this waits for nobody. Thread-safe.
 */
public final class ListeningAgent implements ControlTransport {
    /** What is spoken within TLS. */
    public static final String PROTOCOL = "farheap-control/1";

    private final RemoteReplica replica;
    private final int port;
    private final PemFiles files;
    private final Duration bound;
    private final LineChannel channel = new LineChannel(new In(), new Out());

    /** Held by the one who makes the connection; taken before this object's. */
    private final Object connecting = new Object();

    private Exception missed; // why there is no connection; guarded by connecting

    private TlsDialler dialler; // guarded by this
    private boolean closed; // guarded by this
    private volatile TlsChannel tls;
    private volatile boolean heard;
    private volatile boolean ended;

    /**
     * @param port where it listens on the replica's host
     * @param files what this side shows, and whom it trusts; read when the connection is made
     * @param bound for making it
     */
    public ListeningAgent(RemoteReplica replica, int port, PemFiles files, Duration bound) {
        this.replica = replica;
        this.port = port;
        this.files = files;
        this.bound = bound;
    }

    @Override
    public LineChannel channel() {
        return channel;
    }

    @Override
    public void reach() {
        try {
            TlsChannel unused = connected();
        } catch (IOException | UnresolvedAddressException | FarheapException e) {
            ended = true;
            System.getLogger(ListeningAgent.class.getName())
                    .log(System.Logger.Level.DEBUG, "not reached ahead", e);
        }
    }

    private TlsChannel connected() throws IOException {
        TlsChannel made = tls;
        if (made != null) {
            return made;
        }
        synchronized (connecting) {
            if (missed instanceof IOException why) {
                throw why;
            }
            if (missed instanceof RuntimeException why) {
                throw why;
            }
            try {
                return tls == null ? connect() : tls;
            } catch (IOException | RuntimeException e) {
                missed = e; // who waited meanwhile has no time left to try it again
                throw e;
            }
        }
    }

    private TlsChannel connect() throws IOException {
        InetSocketAddress target = new InetSocketAddress(replica.host(), port);
        TlsDialler calling = new TlsDialler(target, files.context(), PROTOCOL);
        synchronized (this) {
            if (closed) {
                calling.close();
                throw new AsynchronousCloseException();
            }
            dialler = calling;
        }
        TlsChannel made = calling.dial(System.nanoTime() + bound.toNanos());
        made.socket().configureBlocking(true);
        tls = made;
        return made;
    }

    private FarheapException unreachable(Exception failure) {
        files.requirePair(); // or what the other side says of it hides what to mend here
        return FarheapException.replica(
                failure,
                "its agent at %s port %s can't be reached: %s",
                replica.host(),
                port,
                TlsFaults.clause(failure));
    }

    /** Reads what is within. */
    private final class In extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                int read = connected().read(ByteBuffer.wrap(bytes, offset, length));
                heard |= read > 0;
                ended |= read < 0;
                if (read < 0 && !heard && !isClosed()) {
                    throw new EOFException(
                            "the other side ended the connection without a word: its log says why");
                }
                return read;
            } catch (IOException | UnresolvedAddressException e) {
                ended = true;
                if (heard || isClosed()) {
                    throw e;
                }
                throw unreachable(e);
            } catch (FarheapException e) {
                ended = true;
                throw e;
            }
        }
    }

    /** Nobody says anything before the agent has greeted. */
    private final class Out extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            TlsChannel made = tls;
            if (made == null) {
                throw new IOException("the connection is not made yet");
            }
            ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
            while (left.hasRemaining()) {
                int unused = made.write(left);
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public String lastWords() {
        return "";
    }

    @Override
    public String advice() {
        return "";
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() {
        kill();
    }

    @Override
    public void kill() {
        TlsDialler made;
        synchronized (this) {
            closed = true;
            made = dialler;
        }
        try {
            if (made != null) {
                made.close();
            }
        } catch (IOException e) {
            System.getLogger(ListeningAgent.class.getName())
                    .log(System.Logger.Level.DEBUG, "can't close a control connection", e);
        }
    }
}
