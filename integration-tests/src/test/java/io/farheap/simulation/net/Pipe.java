package io.farheap.simulation.net;

import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Waiters;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;

/** One direction of a control connection: bytes in their order, some of them on their way. */
final class Pipe implements Link.Breakable {
    private static final int CAPACITY = 64 << 10;
    private static final int PIECE = CAPACITY / 2;
    private static final long FOREVER = Long.MAX_VALUE / 4;

    private final Link link;
    private final Wire wire;
    private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
    private final Waiters readers = new Waiters();
    private final Waiters writers = new Waiters();
    private int position;
    private int unread;
    private boolean ended;
    private boolean writerClosed;
    private boolean broken;

    /**
     * @param toAgent or else to the initiator
     */
    Pipe(Link link, boolean toAgent) {
        this.link = link;
        this.wire = new Wire(link, toAgent);
        link.add(this);
    }

    /** What the writer's process leaves behind when it dies. */
    void writtenBy(SimProcess writer) {
        writer.atDeath(
                () -> {
                    if (writer.machine().isUp()) {
                        closeWriter();
                    } else {
                        wire.loseAll();
                        writerClosed = true;
                    }
                });
    }

    /** What the writer sees when the reader's process dies. */
    void readBy(SimProcess reader) {
        reader.atDeath(
                () -> {
                    if (reader.machine().isUp()) {
                        tellWriter();
                    }
                });
    }

    private void tellWriter() {
        var unused =
                link.world()
                        .at(
                                link.arrival(),
                                () -> {
                                    broken = true;
                                    writers.wake();
                                });
    }

    void closeWriter() {
        if (!writerClosed) {
            writerClosed = true;
            wire.send(this::end);
        }
    }

    private void end() {
        ended = true;
        readers.wake();
    }

    @Override
    public void breakDown(String why) {
        wire.loseSome();
        writerClosed = true;
        var unused = link.world().at(link.arrival(), this::end);
        tellWriter();
    }

    @Override
    public boolean isOver() {
        return ended;
    }

    OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                for (int done = 0; done < length; done += PIECE) {
                    writePiece(bytes, offset + done, Math.min(PIECE, length - done));
                }
            }

            private void writePiece(byte[] bytes, int offset, int length) throws IOException {
                boolean room =
                        writers.await(
                                () -> broken || writerClosed || unread + length <= CAPACITY,
                                FOREVER);
                if (broken || writerClosed || !room) {
                    throw new IOException("Broken pipe");
                }
                byte[] copy = java.util.Arrays.copyOfRange(bytes, offset, offset + length);
                unread += length;
                wire.send(
                        () -> {
                            arrived.add(copy);
                            readers.wake();
                        });
            }

            @Override
            public void close() {
                closeWriter();
            }
        };
    }

    InputStream input() {
        return new InputStream() {
            @Override
            public int read() {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                boolean unused = readers.await(() -> ended || !arrived.isEmpty(), FOREVER);
                if (arrived.isEmpty()) {
                    return -1;
                }
                byte[] first = arrived.peek();
                int count = Math.min(length, first.length - position);
                System.arraycopy(first, position, into, offset, count);
                position += count;
                unread -= count;
                writers.wake();
                if (position == first.length) {
                    position = 0;
                    byte[] taken = arrived.remove();
                    assert taken == first;
                }
                return count;
            }
        };
    }
}
