package io.farheap.agent.journal;

import io.farheap.replication.journal.JournalLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A replica's journal, read by another process than its agent, wherever it is. */
public final class JournalCopy {
    private JournalCopy() {}

    /** Header and slots. */
    public static MemorySegment begin(Path journal, Arena arena) throws IOException {
        return new JournalPlace(journal, JournalDevices.NONE).read(JournalLayout.RING, arena);
    }

    /** Makes a file of it. */
    public static void copy(Path journal, Path file) throws IOException {
        try (Arena arena = Arena.ofShared();
                FileChannel out =
                        FileChannel.open(
                                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            MemorySegment all =
                    new JournalPlace(journal, JournalDevices.NONE).read(Long.MAX_VALUE, arena);
            byte[] uuid = JournalLayout.readPoolsetUuid(all, journal.toString());
            long capacity = JournalLayout.readHeader(all, uuid, journal.toString());
            byte[] bytes =
                    all.asSlice(0, JournalLayout.fileBytes(capacity))
                            .toArray(ValueLayout.JAVA_BYTE);
            int written = out.write(ByteBuffer.wrap(bytes));
            if (written != bytes.length) {
                throw new IOException(file + ": " + written + " of " + bytes.length + " bytes");
            }
        }
    }
}
