package io.farheap.replication.fabric;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;

/** A kind of network: makes the two ends of connections. Thread-safe. */
public interface Fabric {
    /** Bytes of the one-time secret of a connection, which both ends prove to know. */
    int SECRET_BYTES = 32;

    /** The most that a target publishes. */
    int MAX_PUBLISHED_BYTES = 4096;

    /** The initiator's end, whose reads end up in the memory that it writes from. */
    default Connection connect(
            InetSocketAddress target, byte[] secret, MemorySegment local, Duration bound) {
        return connect(target, secret, local, local, bound);
    }

    /**
     * The initiator's end.
     *
     * @param local native memory of less than 2 GiB that writes will use
     * @param into the same for reads: what they bring ends up there
     * @param bound for all of it
     * @throws io.farheap.base.FarheapException category REPLICA when there is nobody, or nobody who
     *     proves to know the secret and takes it for proven
     */
    Connection connect(
            InetSocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Duration bound);

    /** The same through a socket of this machine that leads to the target's port. */
    default Connection connectThrough(
            UnixDomainSocketAddress entrance, byte[] secret, MemorySegment local, Duration bound) {
        throw FarheapException.wrongUse("this kind of network has no way through %s", entrance);
    }

    /** Where one initiator may connect, for which nothing is published. */
    default TargetListener listen(
            InetAddress address, int port, byte[] secret, MemorySegment region) {
        return listen(address, port, secret, region, MemorySegment.NULL);
    }

    /**
     * Where one initiator may connect.
     *
     * @param address the only address it is bound to
     * @param port 0 for any free one
     * @param secret what the initiator must prove to know; whoever does not is turned away
     * @param region native memory of less than 2 GiB that the initiator may write and read; not
     *     reachable before that is proven
     * @param published native memory, up to {@link #MAX_PUBLISHED_BYTES}, that it may read and by
     *     no means write; none where its size is 0
     */
    TargetListener listen(
            InetAddress address,
            int port,
            byte[] secret,
            MemorySegment region,
            MemorySegment published);
}
