package io.farheap.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * Requests of one session, which the server carries out in the order in which they are made here:
 * several may be under way before the first is waited for.
 */
final class ZooKeeperTry {
    private final ZooKeeper handle;
    private final ZooKeeperSettings settings;
    private final long deadline;
    private final Runnable hangs;

    /**
     * @param deadline of {@code System.nanoTime()}
     * @param hangs is called where a server that is connected does not answer
     */
    ZooKeeperTry(ZooKeeper handle, ZooKeeperSettings settings, long deadline, Runnable hangs) {
        this.handle = handle;
        this.settings = settings;
        this.deadline = deadline;
        this.hangs = hangs;
    }

    /** A node that is there. */
    record Node(byte[] data, Stat stat) {}

    /** What is to be answered. */
    final class Reply<T> {
        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final String path;

        private Reply(String path) {
            this.path = path;
        }

        private void complete(int code, T value) {
            if (code == Code.OK.intValue()) {
                future.complete(value);
            } else {
                future.completeExceptionally(ZooKeeperFailures.of(code, path));
            }
        }

        /** As {@link #complete}; a node that is not there is an answer. */
        private void completeOrAbsent(int code, T value, T absent) {
            boolean missing = code == Code.NONODE.intValue();
            complete(missing ? Code.OK.intValue() : code, missing ? absent : value);
        }

        /**
         * Waits.
         *
         * @throws KeeperException as the server says, or OPERATIONTIMEOUT
         */
        T get() throws KeeperException, InterruptedException {
            while (true) {
                long left = deadline - System.nanoTime();
                try {
                    return future.get(
                            Math.clamp(left, 0, settings.tryBound().toNanos()),
                            TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    // While it is not connected it looks for a server itself.
                    if (left <= 0 || handle.getState() == States.CONNECTED) {
                        hangs.run();
                        throw KeeperException.create(Code.OPERATIONTIMEOUT, path);
                    }
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof KeeperException failure) {
                        throw failure;
                    }
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /** For what is begun anew as long as others are faster. */
    void requireTime() throws KeeperException {
        if (System.nanoTime() - deadline >= 0) {
            throw KeeperException.create(Code.OPERATIONTIMEOUT);
        }
    }

    long sessionId() {
        return handle.getSessionId();
    }

    /**
     * Changes nothing, and is agreed on by most of the servers as a change is: what this session
     * reads behind it has whatever was applied before. A sync would not do: a leader that the
     * others have left answers it for a while.
     *
     * @param path of a node that exists
     */
    Reply<List<OpResult>> agree(String path) {
        return transact(path, List.of(Op.check(path, -1)));
    }

    /** What this session reads behind it is no older than what the leader has. */
    Reply<Boolean> sync(String path) {
        Reply<Boolean> reply = new Reply<>(path);
        handle.sync(path, (code, p, context) -> reply.complete(code, true), null);
        return reply;
    }

    /** All or nothing. */
    Reply<List<OpResult>> transact(String path, List<Op> operations) {
        Reply<List<OpResult>> reply = new Reply<>(path);
        handle.multi(
                operations, (code, p, context, results) -> reply.complete(code, results), null);
        return reply;
    }

    /** The value; without one, and of no length, is the same. */
    Reply<Optional<Node>> node(String path) {
        Reply<Optional<Node>> reply = new Reply<>(path);
        handle.getData(
                path,
                false,
                (code, p, context, data, stat) ->
                        reply.completeOrAbsent(
                                code,
                                Optional.of(new Node(data == null ? new byte[0] : data, stat)),
                                Optional.empty()),
                null);
        return reply;
    }

    /** Empty: there is none. */
    Reply<Optional<Stat>> stat(String path) {
        Reply<Optional<Stat>> reply = new Reply<>(path);
        handle.exists(
                path,
                false,
                (code, p, context, stat) ->
                        reply.completeOrAbsent(code, Optional.ofNullable(stat), Optional.empty()),
                null);
        return reply;
    }

    /** None where there is no such node. */
    Reply<List<String>> children(String path) {
        Reply<List<String>> reply = new Reply<>(path);
        handle.getChildren(
                path,
                false,
                (code, p, context, names) -> reply.completeOrAbsent(code, names, List.of()),
                null);
        return reply;
    }

    /** Who may do what with it; nobody where there is no such node. */
    Reply<List<ACL>> access(String path) {
        Reply<List<ACL>> reply = new Reply<>(path);
        handle.getACL(
                path,
                null,
                (code, p, context, entries, stat) ->
                        reply.completeOrAbsent(code, entries, List.of()),
                null);
        return reply;
    }

    /** Makes the directories above a node that are missing. */
    void makeDirectoriesAbove(String path) throws KeeperException, InterruptedException {
        int slash = path.lastIndexOf('/');
        if (slash > 0) {
            makeDirectory(path.substring(0, slash));
        }
    }

    private void makeDirectory(String path) throws KeeperException, InterruptedException {
        while (true) {
            try {
                Reply<Boolean> reply = new Reply<>(path);
                handle.create(
                        path,
                        null,
                        settings.access(),
                        CreateMode.PERSISTENT,
                        (code, p, context, name) -> reply.complete(code, true),
                        null);
                var unused = reply.get();
                return;
            } catch (KeeperException.NodeExistsException e) {
                return;
            } catch (KeeperException.NoNodeException e) {
                makeDirectoriesAbove(path);
            }
        }
    }
}
