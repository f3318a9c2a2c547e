package io.farheap.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The header at the start of each part that has one (docs/format.md#pool-header):
 *
 * <pre>
 *    0 +-------------------+---------+---------+---------+---------+
 *      | "PMEMOBJ\0"     8 | major 4 | compat 4| incomp 4| ro_com 4|
 *   24 +-------------------+---------+---------+---------+---------+
 *      | poolset_uuid   16 | uuid           16 | prev_part_uuid  16|
 *   72 +-------------------+-------------------+-------------------+
 *      | next_part_uuid 16 | prev_repl_uuid 16 | next_repl_uuid  16|
 *  120 +-------------------+-------------------+-------------------+
 *      | crtime          8 | architecture   16 | journal id, or 0 8|
 *  152 +-------------------+-------------------+-------------------+
 *      | zero, to 4024                                             |
 * 4024 +-----------------------------------------------------------+
 *      | shutdown state (SDS)                                   64 |
 * 4088 +-----------------------------------------------------------+
 *      | checksum                                                8 |
 *      +-----------------------------------------------------------+
 * </pre>
 *
 * <p>A view over 4096 bytes of any memory, without state of its own; the caller flushes.
 */
public final class PoolHeader {
    public static final long SIZE = 4096;

    /** The major version of the layout that this library reads and writes. */
    public static final int MAJOR = 6;

    /** Signature of the pools this library reads and writes, without its terminating zero. */
    public static final String SIGNATURE = "PMEMOBJ";

    private static final int SIGNATURE_SIZE = 8;
    private static final long MAJOR_OFFSET = 8;
    private static final long COMPAT = 12;
    private static final long INCOMPAT = 16;
    private static final long RO_COMPAT = 20;
    private static final long POOLSET_UUID = 24;
    private static final long UUID = 40;
    private static final long PREVIOUS_PART = 56;
    private static final long NEXT_PART = 72;
    private static final long PREVIOUS_REPLICA = 88;
    private static final long NEXT_REPLICA = 104;
    private static final long CREATION_TIME = 120;
    private static final long ARCHITECTURE = 128;
    private static final long JOURNAL_ID = 144;
    private static final long CHECKSUM = 4088;
    private static final long SHORT_CHECKSUM_END = 2048;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment header;

    /**
     * @param header the header's 4096 bytes
     */
    public PoolHeader(MemorySegment header) {
        if (header.byteSize() != SIZE) {
            throw new IllegalArgumentException("a header has 4096 bytes: " + header.byteSize());
        }
        this.header = header;
    }

    /** What a header says of its neighbours, all uuids of parts. */
    public record Links(
            PoolUuid previousPart,
            PoolUuid nextPart,
            PoolUuid previousReplica,
            PoolUuid nextReplica) {}

    /** Writes a whole header, its shutdown state all zero. */
    public void format(
            FeatureFlags features,
            PoolUuid poolsetUuid,
            PoolUuid uuid,
            Links links,
            long creationSeconds) {
        header.fill((byte) 0);
        byte[] signature = SIGNATURE.getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(signature, 0, header, ValueLayout.JAVA_BYTE, 0, signature.length);
        header.set(INT, MAJOR_OFFSET, MAJOR);
        putFeatures(features);
        poolsetUuid.writeTo(header, POOLSET_UUID);
        uuid.writeTo(header, UUID);
        header.set(LONG, CREATION_TIME, creationSeconds);
        byte[] architecture = Architecture.bytes();
        MemorySegment.copy(
                architecture, 0, header, ValueLayout.JAVA_BYTE, ARCHITECTURE, architecture.length);
        link(links);
    }

    private void putFeatures(FeatureFlags features) {
        header.set(INT, COMPAT, features.compat());
        header.set(INT, INCOMPAT, features.incompat());
        header.set(INT, RO_COMPAT, features.roCompat());
    }

    /**
     * Writes what the makers of remote memory may say of it (docs/librpmem.md#attributes);
     * everything else is zero.
     *
     * @param signature 8 bytes
     * @param replicas the links to other replicas; those to parts stay zero
     * @param userFlags 16 bytes, where object pools have their architecture
     */
    public void formatAttributes(
            byte[] signature,
            int major,
            FeatureFlags features,
            PoolUuid poolsetUuid,
            PoolUuid uuid,
            Links replicas,
            byte[] userFlags) {
        header.fill((byte) 0);
        MemorySegment.copy(signature, 0, header, ValueLayout.JAVA_BYTE, 0, SIGNATURE_SIZE);
        header.set(INT, MAJOR_OFFSET, major);
        putFeatures(features);
        poolsetUuid.writeTo(header, POOLSET_UUID);
        uuid.writeTo(header, UUID);
        MemorySegment.copy(
                userFlags, 0, header, ValueLayout.JAVA_BYTE, ARCHITECTURE, Architecture.SIZE);
        link(
                new Links(
                        PoolUuid.ZERO,
                        PoolUuid.ZERO,
                        replicas.previousReplica(),
                        replicas.nextReplica()));
    }

    /**
     * Writes the header of one part of remote memory: its attributes, and what is the part's own.
     * The shutdown state stays what it is.
     *
     * @param attributes written by {@link #formatAttributes}
     */
    public void formatPart(
            PoolHeader attributes,
            PoolUuid uuid,
            PoolUuid previousPart,
            PoolUuid nextPart,
            long creationSeconds) {
        MemorySegment.copy(attributes.header, 0, header, 0, UUID);
        MemorySegment.copy(
                attributes.header, ARCHITECTURE, header, ARCHITECTURE, Architecture.SIZE);
        uuid.writeTo(header, UUID);
        header.set(LONG, CREATION_TIME, creationSeconds);
        Links links = attributes.links();
        link(new Links(previousPart, nextPart, links.previousReplica(), links.nextReplica()));
    }

    /** Zeroes the shutdown state, which then tells of nothing. */
    public void forgetShutdowns() {
        header.asSlice(ShutdownState.OFFSET, ShutdownState.SIZE).fill((byte) 0);
        header.set(LONG, CHECKSUM, computedChecksum());
    }

    /** Becomes the same as another, all 4096 bytes. */
    public void become(PoolHeader other) {
        header.copyFrom(other.header);
    }

    /**
     * Writes a whole header anew but for its shutdown state, which stays.
     *
     * @param old the header that was here
     */
    public void restore(
            PoolHeader old,
            FeatureFlags features,
            PoolUuid poolsetUuid,
            PoolUuid uuid,
            Links links,
            long creationSeconds) {
        format(features, poolsetUuid, uuid, links, creationSeconds);
        MemorySegment.copy(
                old.header, ShutdownState.OFFSET, header, ShutdownState.OFFSET, ShutdownState.SIZE);
        // The long checksum covers the state.
        link(links);
    }

    /**
     * Corrects the one word that is wrong of those that nothing but the checksum tells of: pool
     * uuid and creation time.
     *
     * @param checksum what was stored
     * @return whether there was one; then the checksum is right
     */
    public boolean correctWord(long checksum) {
        long at = wrongWord(checksum);
        if (at >= 0) {
            Checksum.correct(header, at, checksum, computedChecksum());
            header.set(LONG, CHECKSUM, checksum);
        }
        return at >= 0;
    }

    /** Whether it can be that one of these words is wrong, and not known which one. */
    public boolean mayHaveWrongWord(long checksum) {
        return wrongWord(checksum) == Checksum.AMBIGUOUS;
    }

    private long wrongWord(long checksum) {
        return Checksum.wrongWord(
                header,
                0,
                SIZE,
                CHECKSUM,
                checksumEnd(),
                checksum,
                POOLSET_UUID,
                UUID,
                CREATION_TIME,
                ARCHITECTURE);
    }

    /** Copies all 4096 bytes. */
    public void copyTo(MemorySegment page) {
        page.copyFrom(header);
    }

    /** Whether it says the same of its maker: signature, major version and user flags. */
    public boolean isKindOf(PoolHeader other) {
        return isSame(other, 0, COMPAT) && isSame(other, ARCHITECTURE, Architecture.SIZE);
    }

    private boolean isSame(PoolHeader other, long offset, long length) {
        return header.asSlice(offset, length).mismatch(other.header.asSlice(offset, length)) < 0;
    }

    /** The 8 bytes of the signature. */
    public byte[] signatureBytes() {
        return header.asSlice(0, SIGNATURE_SIZE).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The 16 bytes that say which machine wrote it, or what a program has put there. */
    public byte[] userFlags() {
        return header.asSlice(ARCHITECTURE, Architecture.SIZE).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Replaces the links and writes the new checksum. */
    public void link(Links links) {
        links.previousPart().writeTo(header, PREVIOUS_PART);
        links.nextPart().writeTo(header, NEXT_PART);
        links.previousReplica().writeTo(header, PREVIOUS_REPLICA);
        links.nextReplica().writeTo(header, NEXT_REPLICA);
        header.set(LONG, CHECKSUM, computedChecksum());
    }

    /**
     * Whether a disk journal may have what the parts lack. Then its {@link #journalId} lies behind
     * the architecture, and the checksum is that of the header without either: both are in the
     * first 512 bytes, which the medium writes in one. One without the other is damage.
     */
    public boolean isMarked() {
        return (header.get(INT, INCOMPAT) & FeatureFlags.DISK_JOURNAL) != 0 && journalId() != 0;
    }

    /** Of the journal that belongs to a marked pool. */
    public long journalId() {
        return header.get(LONG, JOURNAL_ID);
    }

    /** Puts the mark there, and leaves the checksum. */
    public void mark(long journalId) {
        header.set(LONG, JOURNAL_ID, journalId);
        header.set(INT, INCOMPAT, header.get(INT, INCOMPAT) | FeatureFlags.DISK_JOURNAL);
    }

    /** Takes the mark away: the checksum is right again. */
    public void clearMark() {
        header.set(LONG, JOURNAL_ID, 0);
        header.set(INT, INCOMPAT, header.get(INT, INCOMPAT) & ~FeatureFlags.DISK_JOURNAL);
    }

    /** What it says but for a mark. */
    public PoolHeader withoutMark() {
        PoolHeader other =
                new PoolHeader(MemorySegment.ofArray(header.toArray(ValueLayout.JAVA_BYTE)));
        if (isMarked()) {
            other.clearMark();
        }
        return other;
    }

    /** Replaces the feature words and writes the new checksum. */
    public void setFeatures(FeatureFlags features) {
        putFeatures(features);
        header.set(LONG, CHECKSUM, computedChecksum());
    }

    /** Its 4096 bytes, to be looked at. */
    public MemorySegment bytes() {
        return header.asReadOnly();
    }

    /** Whether all 4096 bytes are zero: no pool was ever made here. */
    public boolean isZero() {
        for (long at = 0; at < SIZE; at += Long.BYTES) {
            if (header.get(LONG, at) != 0) {
                return false;
            }
        }
        return true;
    }

    /** The signature as text; unprintable bytes as dots. */
    public String signature() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < SIGNATURE_SIZE; i++) {
            byte letter = header.get(ValueLayout.JAVA_BYTE, i);
            if (letter == 0) {
                break;
            }
            text.append(letter >= ' ' && letter <= '~' ? (char) letter : '.');
        }
        return text.toString();
    }

    /** Whether this is the header of an object pool: the letters and the zero after them. */
    public boolean hasSignature() {
        return header.get(ValueLayout.JAVA_BYTE, SIGNATURE_SIZE - 1) == 0
                && signature().equals(SIGNATURE);
    }

    public int major() {
        return header.get(INT, MAJOR_OFFSET);
    }

    public FeatureFlags features() {
        return new FeatureFlags(
                header.get(INT, COMPAT), header.get(INT, INCOMPAT), header.get(INT, RO_COMPAT));
    }

    /** The uuid of the whole set, the same in every header of the pool. */
    public PoolUuid poolsetUuid() {
        return PoolUuid.read(header, POOLSET_UUID);
    }

    /** The uuid of this part. */
    public PoolUuid uuid() {
        return PoolUuid.read(header, UUID);
    }

    public Links links() {
        return new Links(
                PoolUuid.read(header, PREVIOUS_PART),
                PoolUuid.read(header, NEXT_PART),
                PoolUuid.read(header, PREVIOUS_REPLICA),
                PoolUuid.read(header, NEXT_REPLICA));
    }

    /** When the header was made: seconds since 1970. */
    public long creationSeconds() {
        return header.get(LONG, CREATION_TIME);
    }

    /** The alignments of C's types, a nibble each (docs/format.md#architecture). */
    public long alignments() {
        return header.get(LONG, ARCHITECTURE);
    }

    /** 2: 64 bits. */
    public int machineClass() {
        return header.get(ValueLayout.JAVA_BYTE, ARCHITECTURE + 8);
    }

    /** 1: little-endian. */
    public int dataEncoding() {
        return header.get(ValueLayout.JAVA_BYTE, ARCHITECTURE + 9);
    }

    /** ELF's number of the processor: 62 for x86-64. */
    public int machine() {
        return Short.toUnsignedInt(header.get(SHORT, ARCHITECTURE + 14));
    }

    /** Whether a machine like this one wrote it. */
    public boolean hasThisArchitecture() {
        return Architecture.matches(header, ARCHITECTURE);
    }

    public long storedChecksum() {
        return header.get(LONG, CHECKSUM);
    }

    public boolean checksumMatches() {
        return storedChecksum() == computedChecksum();
    }

    /** Whether it is as somebody wrote it, whoever that was; one of zeros nobody has written. */
    public boolean isIntact() {
        return checksumMatches() && !isZero();
    }

    /** Whether the stored checksum is that of this header with other feature words. */
    public boolean checksumMatchesWith(FeatureFlags features) {
        PoolHeader other =
                new PoolHeader(MemorySegment.ofArray(header.toArray(ValueLayout.JAVA_BYTE)));
        other.putFeatures(features);
        return storedChecksum() == other.computedChecksum();
    }

    public ShutdownState shutdownState() {
        return new ShutdownState(header);
    }

    /**
     * What the checksum would be if the rest is right. The shutdown state may change without a new
     * one when the checksum is the short one.
     */
    public long computedChecksum() {
        return Checksum.of(header, 0, SIZE, CHECKSUM, checksumEnd());
    }

    private long checksumEnd() {
        return features().hasShortChecksum() ? SHORT_CHECKSUM_END : CHECKSUM;
    }
}
