package io.farheap.replication.fabric.tcp;

import io.farheap.replication.tls.TlsChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Within TLS. */
record TlsWire(TlsChannel channel) implements Wire {
    @Override
    public SocketChannel socket() {
        return channel.socket();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public long write(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        return channel.write(from, offset, length);
    }

    @Override
    public boolean hasUnread() {
        return channel.hasUnread();
    }

    @Override
    public boolean hasUnsent() {
        return channel.hasUnsent();
    }

    @Override
    public void flush() throws IOException {
        channel.flush();
    }
}
