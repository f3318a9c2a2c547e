package io.farheap.agent.service;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.replication.control.ListeningAgent;
import io.farheap.replication.fabric.tcp.DataDoors;
import io.farheap.replication.fabric.tcp.TlsFabric;
import io.farheap.replication.tls.TlsChannel;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Who has come to the port of an agent that listens and is not through the handshake yet, or has
 * not said which data connection it brings. For the thread that listens.
 */
final class Arrival {
    private final TlsChannel channel;
    private final AgentConfiguration configuration;
    private final String from;
    private final long deadline;
    private final ByteBuffer label = ByteBuffer.allocate(DataDoors.LABEL_BYTES);
    private List<String> names;

    /**
     * @param configuration what counts for it
     * @param deadline as System.nanoTime counts
     */
    Arrival(ServiceFiles files, SocketChannel socket, long deadline) throws IOException {
        this.configuration = files.configuration();
        this.deadline = deadline;
        this.from = String.valueOf(socket.getRemoteAddress()).replaceFirst("^.*/", "");
        this.channel =
                TlsChannel.accepted(
                        socket, files.context(), ListeningAgent.PROTOCOL, TlsFabric.PROTOCOL);
    }

    TlsChannel channel() {
        return channel;
    }

    AgentConfiguration configuration() {
        return configuration;
    }

    /** Its address, for messages. */
    String from() {
        return from;
    }

    /** Of its certificate, once {@link #advance} is done. */
    List<String> names() {
        return names;
    }

    /** The door that it wants, where it brings a data connection. */
    byte[] label() {
        return label.array();
    }

    boolean bringsData() {
        return channel.protocol().equals(TlsFabric.PROTOCOL);
    }

    boolean isLate(long now) {
        return deadline - now <= 0;
    }

    long nanosLeft(long now) {
        return deadline - now;
    }

    /**
     * Goes on as far as that is possible now.
     *
     * @return 0 when it is who it says, and all is known of it, else what of {@link SelectionKey}
     *     it waits for
     * @throws IOException when it is refused
     */
    int advance() throws IOException {
        if (names == null) {
            int needed = channel.handshake();
            if (needed != 0) {
                return needed;
            }
            names = namesOf(channel.peer());
            if (channel.protocol().isEmpty()) {
                throw new IOException("it does not say what it wants to speak within TLS");
            }
        }
        while (bringsData() && label.hasRemaining()) {
            int read = channel.read(label);
            if (read < 0) {
                throw new EOFException("it is gone without having said which connection it brings");
            }
            if (read == 0) {
                return SelectionKey.OP_READ;
            }
        }
        return 0;
    }

    /** A session of TLS that is taken up again brings a certificate that was judged before. */
    private static List<String> namesOf(X509Certificate certificate) throws IOException {
        try {
            certificate.checkValidity();
        } catch (GeneralSecurityException e) {
            throw new IOException("its certificate is not valid: " + e.getMessage(), e);
        }
        List<String> names = CertificateNames.of(certificate);
        if (names.isEmpty()) {
            throw new IOException(
                    "its certificate has none of the names that can be allowed something (a common"
                            + " name, or an alternative name of a host or a URI)");
        }
        return names;
    }
}
