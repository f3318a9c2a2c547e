package io.farheap.it.failover;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.coordinator.Watch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A store of one key that the processes of a test share: a file with version and value, changed
 * under its lock. A file beside it, whose name ends in ".down", cuts everybody off.
 */
record FileStore(Path file) implements Coordinator {
    private interface Step<T> {
        T on(FileChannel channel, long version, byte[] value) throws IOException;
    }

    @Override
    public Versioned read(String key) {
        return locked(
                (channel, version, value) ->
                        new Versioned(
                                version == 0 ? Optional.empty() : Optional.of(value),
                                version,
                                stamp(version)));
    }

    @Override
    public List<Listed> list(String prefix) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Swap compareAndSet(String key, long version, byte[] value) {
        try {
            return locked(
                    (channel, found, before) -> {
                        if (found != version) {
                            return Swap.lost();
                        }
                        channel.truncate(0);
                        byte[] head = ((version + 1) + "\n").getBytes(StandardCharsets.US_ASCII);
                        ByteBuffer bytes = ByteBuffer.allocate(head.length + value.length);
                        bytes.put(head).put(value).flip();
                        int unused = channel.write(bytes, 0);
                        return Swap.applied(version + 1, stamp(version + 1));
                    });
        } catch (StoreUnavailableException e) {
            return Swap.unknown();
        }
    }

    /** Nothing is beside the one key. */
    @Override
    public Swap compareAndSet(
            String key, long version, byte[] value, String beside, long besideVersion) {
        throw new UnsupportedOperationException();
    }

    private static StoreStamp stamp(long version) {
        return new StoreStamp("file", version);
    }

    private <T> T locked(Step<T> step) {
        if (Files.exists(file.resolveSibling(file.getFileName() + ".down"))) {
            throw new StoreUnavailableException("The store of the test is down.");
        }
        try (FileChannel channel =
                        FileChannel.open(
                                file,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            byte[] all = new byte[(int) channel.size()];
            int read = channel.read(ByteBuffer.wrap(all), 0);
            String text = new String(all, StandardCharsets.UTF_8);
            int end = text.indexOf('\n');
            return lock.isValid() && read > 0
                    ? step.on(
                            channel,
                            Long.parseLong(text.substring(0, end)),
                            text.substring(end + 1).getBytes(StandardCharsets.UTF_8))
                    : step.on(channel, 0, new byte[0]);
        } catch (IOException e) {
            throw new StoreUnavailableException(e.toString());
        }
    }

    @Override
    public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<byte[]> present(String key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void remove(String key, byte[] value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Watch watch(String prefix, Runnable changed) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // each call has opened the file
    }
}
