package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.objects.schema.PersistentBlob;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BlobTest {
    private static final long SEED = 20261124;
    private static final int SIZE = (2 << 20) + 12_345;
    private static final CollectionType<PersistentBlob> BLOBS = CollectionType.blob();

    private OpenHeap heap;
    private long header;
    private PersistentBlob blob;

    @BeforeEach
    void create() {
        heap = OpenHeap.create(64 << 20);
        header = heap.create(BLOBS);
        blob = BLOBS.open(heap.heap, header);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(SEED).nextBytes(bytes);
        return bytes;
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        byte[] content = bytes(SIZE);
        try (OutputStream out = blob.newOutputStream()) {
            for (int at = 0; at < SIZE; at += 100_000) {
                out.write(content, at, Math.min(100_000, SIZE - at));
            }
        }
        assertThat(blob.size()).isEqualTo(SIZE);
        assertThat(blob.newInputStream().readAllBytes()).isEqualTo(content);
        heap.assertOwnsAll(BLOBS, header);
        heap.delete(BLOBS, header);
        heap.assertEmpty();
    }

    @Test
    void randomAccessIsThatOfAnArray() throws IOException {
        Random random = new Random(SEED);
        byte[] model = new byte[SIZE];
        int size = 0;
        SeekableByteChannel channel = blob.newChannel();
        for (int step = 0; step < 60; step++) {
            int position = random.nextInt(step < 20 ? 5000 : SIZE - 10_000);
            byte[] part = new byte[1 + random.nextInt(9_000)];
            random.nextBytes(part);
            assertThat(channel.position(position).write(ByteBuffer.wrap(part)))
                    .isEqualTo(part.length);
            System.arraycopy(part, 0, model, position, part.length);
            size = Math.max(size, position + part.length);
            if (step % 7 == 6) {
                size = random.nextInt(size);
                blob.setSize(size);
                Arrays.fill(model, size, SIZE, (byte) 0);
            }
            assertThat(channel.size()).isEqualTo(size);
            assertThat(blob.newInputStream().readAllBytes())
                    .as("seed %d, step %d", SEED, step)
                    .isEqualTo(Arrays.copyOf(model, size));
            heap.assertOwnsAll(BLOBS, header);
        }
        ByteBuffer behind = ByteBuffer.allocate(1);
        assertThat(channel.position(size).read(behind)).isEqualTo(-1);
        channel.close();
        assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
    }
}
