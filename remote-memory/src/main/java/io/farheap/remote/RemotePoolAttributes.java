package io.farheap.remote;

import io.farheap.base.FarheapException;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Blob;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a program says of its remote pool, kept in the headers of the target's files: librpmem's
 * {@code rpmem_pool_attr}. The target keeps them and compares nothing: what they mean is the
 * program's. Immutable.
 */
public final class RemotePoolAttributes {
    /** Bytes of a signature. */
    public static final int SIGNATURE_BYTES = 8;

    /** Bytes of a uuid. */
    public static final int UUID_BYTES = 16;

    /** Bytes of the user flags. */
    public static final int USER_FLAGS_BYTES = 16;

    /** A header page that carries them and nothing else. */
    private final byte[] page = new byte[(int) PoolHeader.SIZE];

    private RemotePoolAttributes(
            byte[] signature,
            int major,
            FeatureFlags features,
            PoolUuid poolsetUuid,
            PoolUuid uuid,
            PoolHeader.Links links,
            byte[] userFlags) {
        header().formatAttributes(signature, major, features, poolsetUuid, uuid, links, userFlags);
    }

    /**
     * Attributes with that signature, major version 1, new random uuids, and zeros.
     *
     * @param signature 1 to 8 characters of ASCII; not PMEMOBJ, which object pools have
     */
    public static RemotePoolAttributes of(String signature) {
        byte[] bytes = signature.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length == 0
                || bytes.length > SIGNATURE_BYTES
                || !new String(bytes, StandardCharsets.US_ASCII).equals(signature)
                || signature.equals(PoolHeader.SIGNATURE)) {
            throw FarheapException.wrongUse(
                    "the signature \"%s\" can't be used: give 1 to 8 characters of ASCII,"
                            + " not %s",
                    signature, PoolHeader.SIGNATURE);
        }
        PoolUuid uuid = PoolUuid.random();
        return new RemotePoolAttributes(
                Arrays.copyOf(bytes, SIGNATURE_BYTES),
                1,
                new FeatureFlags(0, 0, 0),
                PoolUuid.random(),
                uuid,
                new PoolHeader.Links(PoolUuid.ZERO, PoolUuid.ZERO, uuid, uuid),
                new byte[USER_FLAGS_BYTES]);
    }

    static RemotePoolAttributes of(Blob page) {
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(page.toByteArray()));
        return new RemotePoolAttributes(
                header.signatureBytes(),
                header.major(),
                header.features(),
                header.poolsetUuid(),
                header.uuid(),
                header.links(),
                header.userFlags());
    }

    Blob toHeader() {
        return Blob.of(page);
    }

    private PoolHeader header() {
        return new PoolHeader(MemorySegment.ofArray(page));
    }

    /** What the program calls its format; 8 bytes, zeros behind a shorter text. */
    public byte[] signature() {
        return header().signatureBytes();
    }

    /** The format's major version. */
    public int major() {
        return header().major();
    }

    /** Bits of features that an older program may ignore. */
    public int compatFeatures() {
        return header().features().compat();
    }

    /**
     * Bits of features that an older program must not ignore. Bit 0 (SINGLEHDR) must be the
     * target's poolset option; bit 1 has the headers' checksums end at 2048 bytes, bit 2 keeps the
     * shutdown state.
     */
    public int incompatFeatures() {
        return header().features().incompat();
    }

    /** Bits of features for which an older program may only read. */
    public int roCompatFeatures() {
        return header().features().roCompat();
    }

    /** The uuid that all parts have; 16 bytes. */
    public byte[] poolsetUuid() {
        return header().poolsetUuid().bytes();
    }

    /** The uuid of the first part; 16 bytes. */
    public byte[] uuid() {
        return header().uuid().bytes();
    }

    /** The first part's uuid of the replica before this one; 16 bytes. */
    public byte[] previousUuid() {
        return header().links().previousReplica().bytes();
    }

    /** The first part's uuid of the replica behind this one; 16 bytes. */
    public byte[] nextUuid() {
        return header().links().nextReplica().bytes();
    }

    /** What else the program has to say; 16 bytes. */
    public byte[] userFlags() {
        return header().userFlags();
    }

    /** The same with another major version. */
    public RemotePoolAttributes withMajor(int major) {
        PoolHeader now = header();
        return with(major, now.features(), now.poolsetUuid(), now.uuid(), now.links(), userFlags());
    }

    /** The same with other feature bits. */
    public RemotePoolAttributes withFeatures(int compat, int incompat, int roCompat) {
        PoolHeader now = header();
        FeatureFlags features = new FeatureFlags(compat, incompat, roCompat);
        return with(now.major(), features, now.poolsetUuid(), now.uuid(), now.links(), userFlags());
    }

    /**
     * The same with other uuids, 16 bytes each.
     *
     * @param poolset all parts'
     * @param own the first part's
     * @param previous of the replica before
     * @param next of the replica behind
     */
    public RemotePoolAttributes withUuids(
            byte[] poolset, byte[] own, byte[] previous, byte[] next) {
        PoolHeader now = header();
        PoolHeader.Links links =
                new PoolHeader.Links(
                        PoolUuid.ZERO, PoolUuid.ZERO, PoolUuid.of(previous), PoolUuid.of(next));
        return with(
                now.major(),
                now.features(),
                PoolUuid.of(poolset),
                PoolUuid.of(own),
                links,
                userFlags());
    }

    /** The same with other user flags, 16 bytes. */
    public RemotePoolAttributes withUserFlags(byte[] flags) {
        if (flags.length != USER_FLAGS_BYTES) {
            throw FarheapException.wrongUse("user flags have 16 bytes, not %s", flags.length);
        }
        PoolHeader now = header();
        return with(now.major(), now.features(), now.poolsetUuid(), now.uuid(), now.links(), flags);
    }

    private RemotePoolAttributes with(
            int major,
            FeatureFlags features,
            PoolUuid poolsetUuid,
            PoolUuid uuid,
            PoolHeader.Links links,
            byte[] userFlags) {
        return new RemotePoolAttributes(
                signature(), major, features, poolsetUuid, uuid, links, userFlags);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RemotePoolAttributes
                && Arrays.equals(page, ((RemotePoolAttributes) other).page);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(page);
    }

    @Override
    public String toString() {
        return header().signature() + " version " + Integer.toUnsignedString(major());
    }
}
