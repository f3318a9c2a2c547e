package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.transaction.HeapTransactions;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.Objects;

/** {@link BlobExtents} as streams and channels. */
final class ExtentsBlob implements PersistentBlob {
    private final HeapTransactions heap;
    private final BlobExtents extents;
    private final long header;

    ExtentsBlob(HeapTransactions heap, BlobExtents extents, long header) {
        this.heap = heap;
        this.extents = extents;
        this.header = header;
    }

    @Override
    public long size() {
        return heap.glance(tx -> extents.size(tx, header));
    }

    @Override
    public void setSize(long size) {
        if (size < 0) {
            throw new IllegalArgumentException("a blob can't have " + size + " bytes");
        }
        heap.change(
                tx -> {
                    extents.setSize(tx, header, size);
                    return null;
                });
    }

    private int read(long position, MemorySegment target) {
        return heap.read(tx -> extents.read(tx, header, position, target));
    }

    private void write(long position, MemorySegment source) {
        heap.change(
                tx -> {
                    extents.write(tx, header, position, source);
                    return null;
                });
    }

    private void append(MemorySegment source) {
        heap.change(
                tx -> {
                    extents.write(tx, header, extents.size(tx, header), source);
                    return null;
                });
    }

    @Override
    public InputStream newInputStream() {
        return new InputStream() {
            private long position;

            @Override
            public int read() {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
                Objects.checkFromIndexSize(from, length, bytes.length);
                MemorySegment target = MemorySegment.ofArray(bytes).asSlice(from, length);
                int count = ExtentsBlob.this.read(position, target);
                position += Math.max(0, count);
                return count;
            }

            @Override
            public int available() {
                return Math.clamp(size() - position, 0, Integer.MAX_VALUE);
            }
        };
    }

    @Override
    public OutputStream newOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int value) {
                append(MemorySegment.ofArray(new byte[] {(byte) value}));
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                Objects.checkFromIndexSize(from, length, bytes.length);
                append(MemorySegment.ofArray(bytes).asSlice(from, length));
            }
        };
    }

    @Override
    public SeekableByteChannel newChannel() {
        return new Channel();
    }

    private final class Channel implements SeekableByteChannel {
        private long position;
        private boolean isClosed;

        private void requireOpen() throws ClosedChannelException {
            if (isClosed) {
                throw new ClosedChannelException();
            }
        }

        @Override
        public int read(ByteBuffer target) throws ClosedChannelException {
            requireOpen();
            int count = ExtentsBlob.this.read(position, MemorySegment.ofBuffer(target));
            position += Math.max(0, count);
            target.position(target.position() + Math.max(0, count));
            return count;
        }

        @Override
        public int write(ByteBuffer source) throws ClosedChannelException {
            requireOpen();
            int length = source.remaining();
            ExtentsBlob.this.write(position, MemorySegment.ofBuffer(source));
            position += length;
            source.position(source.limit());
            return length;
        }

        @Override
        public long position() throws ClosedChannelException {
            requireOpen();
            return position;
        }

        @Override
        public SeekableByteChannel position(long newPosition) throws ClosedChannelException {
            requireOpen();
            if (newPosition < 0) {
                throw new IllegalArgumentException("no byte is at " + newPosition);
            }
            position = newPosition;
            return this;
        }

        @Override
        public long size() throws ClosedChannelException {
            requireOpen();
            return ExtentsBlob.this.size();
        }

        @Override
        public SeekableByteChannel truncate(long size) throws ClosedChannelException {
            requireOpen();
            if (size < 0) {
                throw new IllegalArgumentException("a blob can't have " + size + " bytes");
            }
            if (size < ExtentsBlob.this.size()) {
                heap.change(
                        tx -> {
                            if (size < extents.size(tx, header)) { // still
                                setSize(size);
                            }
                            return null;
                        });
            }
            position = Math.min(position, size);
            return this;
        }

        @Override
        public boolean isOpen() {
            return !isClosed;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
