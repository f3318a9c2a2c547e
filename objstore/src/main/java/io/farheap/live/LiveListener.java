package io.farheap.live;

import io.farheap.base.FarheapException;
import io.farheap.engine.CommitTimes;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves whoever may connect to this process's socket, each in a thread of its own. Where there can
 * be none, the pools can't be backed up while they are open, and the log says why.
 */
final class LiveListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveListener.class);

    /** Those who watch stay; a backup must find a place beside them. */
    private static final int MOST_AT_ONCE = 64;

    /** A program that has closed its pools by then was not worth a socket. */
    private static final long DELAY_MILLIS = 1000;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Semaphore places = new Semaphore(MOST_AT_ONCE);
    private final Set<SocketChannel> clients = ConcurrentHashMap.newKeySet();
    private ServerSocketChannel socket;
    private Path path;

    void start() {
        Thread unused = Thread.ofPlatform().daemon().name("farheap-live").start(this::listen);
    }

    private void listen() {
        try {
            if (ended.await(DELAY_MILLIS, TimeUnit.MILLISECONDS) || !bind()) {
                return;
            }
            while (ended.getCount() > 0) {
                SocketChannel client = socket.accept();
                clients.add(client);
                if (places.tryAcquire()) {
                    Thread unused =
                            Thread.ofPlatform()
                                    .daemon()
                                    .name("farheap-live-for")
                                    .start(() -> serve(client));
                } else {
                    clients.remove(client);
                    client.close();
                }
            }
        } catch (IOException | UnsupportedOperationException e) {
            if (ended.getCount() > 0) {
                LOG.info("no backup of open pools of this process is possible: {}", e.toString());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private synchronized boolean bind() throws IOException {
        if (ended.getCount() == 0) {
            return false;
        }
        path = LivePlace.ofThisProcess();
        removeUnused(path.getParent());
        boolean unused = Files.deleteIfExists(path); // of a process that had this number before
        socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        ServerSocketChannel bound = socket.bind(UnixDomainSocketAddress.of(path));
        LOG.debug("listening for backups at {}", bound.getLocalAddress());
        return true;
    }

    /** Processes that were killed left theirs. */
    private static void removeUnused(Path directory) throws IOException {
        try (var files = Files.newDirectoryStream(directory, "*-*")) {
            for (Path file : files) {
                if (isRefused(file)) {
                    boolean unused = Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Whoever listens may fail to answer for other reasons, and so may this process to ask. */
    private static boolean isRefused(Path file) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            try {
                boolean unused = probe.connect(UnixDomainSocketAddress.of(file));
                return false;
            } catch (IOException e) {
                return "Connection refused".equals(e.getMessage());
            }
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            ByteBuffer request = ByteBuffer.allocate(LiveMessages.REQUEST_BYTES);
            LiveMessages.readFully(client, request);
            try {
                OfferedPool pool = LivePools.find(LiveMessages.poolId(request));
                if (LiveMessages.asksToReload(request)) {
                    boolean alone = LiveMessages.mayBeAlone(request);
                    LiveMessages.sendReloaded(client, pool.reload(alone));
                    return;
                }
                if (!LiveMessages.asksForFigures(request)) {
                    copy(pool, client);
                    return;
                }
                show(pool, client, request);
            } catch (FarheapException e) {
                LiveMessages.sendFailure(client, e.getMessage());
            }
        } catch (IOException e) {
            LOG.debug("who asked has gone", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            clients.remove(client);
            places.release();
        }
    }

    /** Again and again, until it goes. */
    private static void show(OfferedPool pool, SocketChannel client, ByteBuffer request)
            throws IOException {
        CommitTimes times = pool.engine().times();
        times.watch();
        try {
            while (LiveMessages.asksForFigures(request)) {
                LiveMessages.sendFigures(client, pool.figures());
                request.clear();
                LiveMessages.readFully(client, request);
            }
        } finally {
            times.unwatch();
        }
    }

    private static void copy(OfferedPool pool, SocketChannel client)
            throws IOException, InterruptedException {
        pool.begin();
        try {
            LivePoint point = new LiveCopy(pool, new Sender(client)).run();
            LiveMessages.sendComplete(client, point);
        } finally {
            pool.end();
        }
    }

    private record Sender(SocketChannel client) implements LiveReceiver {
        @Override
        public void begin(long imageBytes, MemorySegment header) throws IOException {
            LiveMessages.send(client, LiveMessages.BEGIN, imageBytes, header);
        }

        @Override
        public void range(long offset, MemorySegment content) throws IOException {
            LiveMessages.send(client, LiveMessages.RANGE, offset, content);
        }
    }

    @Override
    public synchronized void close() {
        ended.countDown();
        if (socket != null && socket.isOpen()) {
            try {
                boolean unused = Files.deleteIfExists(path);
                socket.close();
                for (SocketChannel client : clients) {
                    client.close(); // whoever is silent must not keep a thread
                }
            } catch (IOException e) {
                LOG.debug("{} is left", path, e);
            }
        }
    }
}
