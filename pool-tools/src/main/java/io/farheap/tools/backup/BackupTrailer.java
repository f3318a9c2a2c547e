package io.farheap.tools.backup;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The end of a backup, without which it is none; little-endian:
 *
 * <pre>
 *    0 +------------+----------------+-----------+--------------+
 *      | magic    8 | index offset 8 | entries 8 | file bytes 8 |
 *   32 +------------+----------------+-----------+--------------+
 *      | id of the backup         16 | seal                  32 |
 *   80 +-----------------------------+--+---------------+-------+
 *      | zeros                       44 | CRC32C      4 |  of the bytes before it
 *  128 +--------------------------------+---------------+
 * </pre>
 *
 * @param indexOffset where the {@link PieceIndex} begins; it ends here
 * @param entries of the index
 * @param fileBytes of the whole file
 * @param id as in the header
 * @param seal SHA-256 of header and index: since these name the base's seal and each piece's hash,
 *     two backups with one seal have the same content
 */
record BackupTrailer(long indexOffset, long entries, long fileBytes, UUID id, byte[] seal) {
    static final int SIZE = 128;

    private static final byte[] MAGIC = BackupHeader.ascii("FHB-END\n");
    private static final int INDEX_OFFSET = 8;
    private static final int ENTRIES = 16;
    private static final int FILE_BYTES = 24;
    private static final int ID = 32;
    private static final int SEAL = 48;
    private static final int CRC = 124;

    byte[] encode() {
        ByteBuffer to = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        to.put(0, MAGIC);
        to.putLong(INDEX_OFFSET, indexOffset).putLong(ENTRIES, entries);
        to.putLong(FILE_BYTES, fileBytes);
        BackupHeader.putUuid(to, ID, id);
        to.put(SEAL, seal);
        to.putInt(CRC, crc(to.array()));
        return to.array();
    }

    /**
     * @param fileBytes of the file that it ends
     * @throws io.farheap.base.FarheapException BAD_DATA for what is no end of such a file
     */
    static BackupTrailer decode(Path file, byte[] bytes, long fileBytes, BackupHeader header) {
        ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (!from.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))
                || from.getInt(CRC) != crc(bytes)) {
            throw BackupHeader.damaged(file, "its end is missing or wrong, it was cut off");
        }
        byte[] seal = new byte[BackupHeader.SEAL_BYTES];
        from.get(SEAL, seal);
        BackupTrailer trailer =
                new BackupTrailer(
                        from.getLong(INDEX_OFFSET),
                        from.getLong(ENTRIES),
                        from.getLong(FILE_BYTES),
                        BackupHeader.uuid(from, ID),
                        seal);
        long indexBytes = fileBytes - SIZE - trailer.indexOffset;
        boolean fits =
                trailer.fileBytes == fileBytes
                        && trailer.id.equals(header.id())
                        && trailer.indexOffset >= BackupHeader.SIZE
                        && indexBytes >= 0
                        && indexBytes % PieceIndex.ENTRY_BYTES == 0
                        && indexBytes / PieceIndex.ENTRY_BYTES == trailer.entries
                        && trailer.entries <= BackupHeader.pieces(header.imageBytes());
        if (!fits) {
            throw BackupHeader.damaged(file, "its end does not fit its beginning and its size");
        }
        return trailer;
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC);
        return (int) crc.getValue();
    }
}
