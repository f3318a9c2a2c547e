package io.farheap.replication.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ClosedSelectorException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A listener that is closed while somebody comes, in each step of letting them in. */
@Timeout(60)
class TcpListenerTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];

    private final Deque<PeerGreeting> strangers = new ArrayDeque<>();
    private TcpListener listener;
    private Socket initiator;

    @BeforeEach
    void listen() throws IOException {
        MemorySegment region = Arena.ofAuto().allocate(4096, Long.BYTES);
        InetAddress here = InetAddress.getLoopbackAddress();
        listener =
                new TcpListener(
                        new InetSocketAddress(here, 0),
                        SECRET,
                        region,
                        region,
                        WaitStrategy.DEFAULT);
        initiator = new Socket(here, listener.port());
    }

    @AfterEach
    void close() throws IOException {
        strangers.forEach(
                each -> {
                    try {
                        each.channel().close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        initiator.close();
        listener.close();
    }

    /** Whoever calls closes what is among the strangers. */
    @Test
    void betweenProofAndConnectionTheInitiatorStaysWithTheCaller() throws IOException {
        CompletableFuture<byte[]> welcome =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return Greetings.asInitiator(initiator, SECRET);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        PeerGreeting proven = listener.await(strangers, BOUND);
        assertThat(welcome.join()).hasSize(16);

        listener.close();

        assertThatThrownBy(() -> listener.letIn(proven))
                .isInstanceOf(ClosedSelectorException.class);
        assertThat(strangers).containsExactly(proven);
    }

    @Test
    void betweenKnockAndWelcomeTheGuestStaysWithTheCaller() throws IOException {
        listener.endWait();

        assertThatThrownBy(() -> listener.welcome(strangers))
                .isInstanceOf(ClosedSelectorException.class);

        assertThat(strangers).hasSize(1).allMatch(guest -> guest.channel().isOpen());
    }

    @Test
    void whoeverIsAmongTheStrangersIsHungUpOn() throws IOException {
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(BOUND));
        initiator.getOutputStream().write("FARHTCP2".getBytes(StandardCharsets.US_ASCII));
        initiator.getOutputStream().write(new byte[32]);
        assertThat(initiator.getInputStream().readNBytes(8 + 32 + 32)).hasSize(72);

        listener.close();

        assertThat(initiator.getInputStream().read()).isEqualTo(-1);
        assertThatThrownBy(accepted::join)
                .hasCauseInstanceOf(FarheapException.class)
                .hasMessageContaining("the wait for the data connection was ended");
    }
}
