package io.farheap.agent.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.PersistenceDomain;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class RingPlaceTest {
    /** Memory that a network card may store to so that a flush finds it. */
    @Test
    void theJournalItselfIsTakenWhereItCanBe() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ring = arena.allocate(4096);
            MemorySegment bounce = arena.allocate(4096);
            byte[] secret = new byte[Fabric.SECRET_BYTES];
            InetAddress address = InetAddress.getLoopbackAddress();
            OneRegion card = new OneRegion(ring);
            RingPlace place =
                    RingPlace.overVerbs(
                            card,
                            address,
                            secret,
                            PersistenceDomain.DAX,
                            ring,
                            () -> bounce,
                            MemorySegment.NULL);
            assertThat(place.inPlace()).isTrue();
            place.listener().close();

            place =
                    RingPlace.overVerbs(
                            new TcpFabric(WaitStrategy.BLOCKING),
                            address,
                            secret,
                            PersistenceDomain.PAGE_CACHE,
                            ring,
                            () -> bounce,
                            MemorySegment.NULL);
            assertThat(place.inPlace()).isFalse();
            assertThat(place.reason()).contains("would not write back");
            place.listener().close();

            place =
                    RingPlace.overVerbs(
                            new OneRegion(bounce),
                            address,
                            secret,
                            PersistenceDomain.DAX,
                            ring,
                            () -> bounce,
                            MemorySegment.NULL);
            assertThat(place.inPlace()).isFalse();
            assertThat(place.reason()).isEqualTo("nothing can be registered");
            place.listener().close();
        }
    }

    /** One that can register this only. */
    private static final class OneRegion extends RefusingFabric {
        private final MemorySegment region;

        OneRegion(MemorySegment region) {
            this.region = region;
        }

        @Override
        public TargetListener listen(
                InetAddress address,
                int port,
                byte[] secret,
                MemorySegment wanted,
                MemorySegment published) {
            if (!wanted.equals(region)) {
                return super.listen(address, port, secret, wanted, published);
            }
            return new TcpFabric(WaitStrategy.BLOCKING)
                    .listen(address, port, secret, wanted, published);
        }
    }
}
