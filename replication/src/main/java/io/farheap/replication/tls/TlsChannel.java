package io.farheap.replication.tls;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * The bytes inside of TLS 1.3 on a socket, with a certificate on both sides. It blocks where the
 * socket does. One thread may read while another one writes; {@link #close} is for any.
 *
 * <p>The end of the stream is not authenticated: whoever can cut the connection can end it, and
 * what travels here says itself where it ends.
 */
public final class TlsChannel implements ReadableByteChannel, GatheringByteChannel {
    private static final String[] VERSIONS = {"TLSv1.3"};
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** How many records the socket of a wide one is given, and asked for, at once. */
    private static final int RECORDS = 8;

    private final SocketChannel socket;
    private final SSLEngine engine;
    private final int record;
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock writing = new ReentrantLock();

    // Guarded by reading; each is read from.
    private ByteBuffer in;
    private ByteBuffer plain;
    private boolean starved = true;
    private boolean begun;

    /** Guarded by writing; is written to. */
    private ByteBuffer out;

    private volatile boolean unsent;

    /** The engine wants to say something of its own: a key that was renewed, an alert. */
    private volatile boolean owing;

    private volatile boolean heard;

    private TlsChannel(SocketChannel socket, SSLEngine engine) {
        this.socket = socket;
        this.engine = engine;
        this.record = engine.getSession().getPacketBufferSize();
        this.in = ByteBuffer.allocate(record).flip();
        this.out = ByteBuffer.allocate(record);
        this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
    }

    /**
     * The end of who came here.
     *
     * @param protocols what may be spoken; one that offers none of them is refused
     */
    public static TlsChannel accepted(
            SocketChannel socket, SSLContext context, String... protocols) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = parameters(engine, protocols);
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return new TlsChannel(socket, engine);
    }

    /**
     * The end of who goes there.
     *
     * @param target its name must be in the certificate that is shown there
     */
    static TlsChannel dialled(
            SocketChannel socket, SSLContext context, InetSocketAddress target, String protocol) {
        SSLEngine engine = context.createSSLEngine(target.getHostString(), target.getPort());
        engine.setUseClientMode(true);
        SSLParameters parameters = parameters(engine, protocol);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return new TlsChannel(socket, engine);
    }

    private static SSLParameters parameters(SSLEngine engine, String... protocols) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(VERSIONS);
        parameters.setApplicationProtocols(protocols);
        return parameters;
    }

    /** Takes the memory that much data needs; there may be many that are used for a few words. */
    public void widen() {
        reading.lock();
        writing.lock();
        try {
            in = ByteBuffer.allocate(RECORDS * record).put(in).flip();
            out = ByteBuffer.allocate(RECORDS * record).put(out.flip());
        } finally {
            writing.unlock();
            reading.unlock();
        }
    }

    /** The socket, to select on and to configure. */
    public SocketChannel socket() {
        return socket;
    }

    /**
     * What both sides speak, once the handshake is done; "" where the other one offered nothing.
     */
    public String protocol() {
        String agreed = engine.getApplicationProtocol();
        return agreed == null ? "" : agreed;
    }

    /** The certificate that the other side has proven to have the key of. */
    public X509Certificate peer() throws SSLPeerUnverifiedException {
        return (X509Certificate) engine.getSession().getPeerCertificates()[0];
    }

    /** Whether anything has come from the other side. */
    public boolean hasHeard() {
        return heard;
    }

    // ---- handshake ----

    /**
     * Goes on with the handshake as far as that is possible now.
     *
     * @return 0 when it is done, else what of {@link SelectionKey} it waits for
     * @throws IOException when it has failed; the other side was told why if it would hear it
     */
    public int handshake() throws IOException {
        reading.lock();
        writing.lock();
        try {
            if (!begun) {
                begun = true;
                engine.beginHandshake();
            }
            while (true) {
                if (!drain()) {
                    return SelectionKey.OP_WRITE;
                }
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK -> runTasks();
                    case NEED_WRAP -> wrapNothing();
                    case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                        if (!unwrapNext()) {
                            return SelectionKey.OP_READ;
                        }
                    }
                    default -> {
                        return 0;
                    }
                }
            }
        } catch (SSLException e) {
            sayWhy(e);
            throw e;
        } finally {
            writing.unlock();
            reading.unlock();
        }
    }

    private boolean unwrapNext() throws IOException {
        plain.clear();
        SSLEngineResult result = engine.unwrap(in, plain);
        plain.flip();
        if (result.getStatus() == Status.CLOSED) {
            throw new EOFException("the other side ended the handshake");
        }
        if (result.getStatus() != Status.BUFFER_UNDERFLOW) {
            return true;
        }
        int read = fill();
        if (read < 0) {
            throw new EOFException("the other side ended the connection within the handshake");
        }
        return read > 0;
    }

    /** An alert, as far as the socket takes it now. */
    private void sayWhy(SSLException failure) {
        try {
            wrapNothing();
            boolean unused = drain();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask();
                task != null;
                task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    // ---- reading ----

    /**
     * Whether there is something to read that the socket knows nothing of any more: a selector
     * would not tell.
     */
    public boolean hasUnread() {
        reading.lock();
        try {
            return plain.hasRemaining() || in.hasRemaining() && !starved;
        } finally {
            reading.unlock();
        }
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        reading.lock();
        try {
            while (into.hasRemaining()) {
                if (plain.hasRemaining()) {
                    return move(into);
                }
                boolean straight = into.remaining() >= plain.capacity();
                SSLEngineResult result = unwrap(straight ? into : plain.clear());
                if (!straight) {
                    plain.flip();
                }
                settle(result.getHandshakeStatus());
                Status status = result.getStatus();
                if (status == Status.CLOSED) {
                    return -1;
                }
                if (status == Status.BUFFER_UNDERFLOW) {
                    int read = fill();
                    if (read <= 0) {
                        return read;
                    }
                } else if (status == Status.BUFFER_OVERFLOW) {
                    grow();
                } else if (straight && result.bytesProduced() > 0) {
                    return result.bytesProduced();
                }
            }
            return 0;
        } finally {
            reading.unlock();
        }
    }

    private SSLEngineResult unwrap(ByteBuffer into) throws SSLException {
        try {
            return engine.unwrap(in, into);
        } catch (SSLException e) {
            plain.clear().flip();
            throw e;
        }
    }

    private int move(ByteBuffer into) {
        int count = Math.min(plain.remaining(), into.remaining());
        into.put(into.position(), plain, plain.position(), count);
        into.position(into.position() + count);
        plain.position(plain.position() + count);
        return count;
    }

    private void grow() throws SSLException {
        int needed = engine.getSession().getApplicationBufferSize();
        if (needed <= plain.capacity()) {
            throw new SSLException("a record of more bytes than TLS allows");
        }
        plain = ByteBuffer.allocate(needed).flip();
    }

    private int fill() throws IOException {
        in.compact();
        try {
            int read = socket.read(in);
            starved = read <= 0;
            heard |= read > 0;
            return read;
        } finally {
            in.flip();
        }
    }

    /** What the other side's renewed keys ask of this one. */
    private void settle(HandshakeStatus status) throws IOException {
        if (status == HandshakeStatus.NEED_TASK) {
            runTasks();
        }
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            owing = true;
            if (writing.tryLock()) { // else who writes says it
                try {
                    flushLocked();
                } finally {
                    writing.unlock();
                }
            }
        }
    }

    // ---- writing ----

    /** Whether something that was written has not left. */
    public boolean hasUnsent() {
        return unsent || owing;
    }

    /** Hands over to the socket what it takes now. */
    public void flush() throws IOException {
        writing.lock();
        try {
            flushLocked();
        } finally {
            writing.unlock();
        }
    }

    private void flushLocked() throws IOException {
        if (drain() && owing) {
            owing = false;
            wrapNothing();
            boolean unused = drain();
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return (int) write(new ByteBuffer[] {from}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] from) throws IOException {
        return write(from, 0, from.length);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        writing.lock();
        try {
            long taken = 0;
            int first = offset;
            int end = offset + length;
            while (true) {
                while (first < end && !from[first].hasRemaining()) {
                    first++;
                }
                if (first == end || !hasRoom()) {
                    break;
                }
                SSLEngineResult result = engine.wrap(from, first, end - first, out);
                if (result.getStatus() != Status.OK) {
                    throw new IOException("the TLS connection has ended: " + result.getStatus());
                }
                taken += result.bytesConsumed();
                if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                    runTasks();
                }
            }
            boolean unused = drain();
            return taken;
        } finally {
            writing.unlock();
        }
    }

    private boolean hasRoom() throws IOException {
        if (out.remaining() < record) {
            boolean unused = drain();
        }
        return out.remaining() >= record;
    }

    private void wrapNothing() throws SSLException {
        SSLEngineResult result = engine.wrap(NOTHING, out);
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            runTasks();
        }
    }

    /** Whether everything has left. */
    private boolean drain() throws IOException {
        if (out.position() == 0) {
            return true;
        }
        out.flip();
        try {
            int unused = socket.write(out);
        } finally {
            out.compact();
            unsent = out.position() > 0;
        }
        return !unsent;
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    /** Ends the connection, whatever is on its way, and wakes whoever waits on it. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
