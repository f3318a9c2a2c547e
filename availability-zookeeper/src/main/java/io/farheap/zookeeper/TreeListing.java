package io.farheap.zookeeper;

import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.zookeeper.ZooKeeperTry.Node;
import io.farheap.zookeeper.ZooKeeperTry.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * All keys with a prefix: directory by directory, many requests under way at a time. Each value is
 * as it was at some moment since the call, not all at one.
 */
final class TreeListing {
    private static final int AT_A_TIME = 200;

    /** With fewer nodes than have room in an answer if each has so many, it is something else. */
    private static final int NAME_BYTES = 250;

    private static final int ANSWER_BYTES = 1 << 20;

    private final ZooKeeperRequests requests;
    private final String prefix;
    private final List<Place> values = new ArrayList<>();
    private List<Place> directories = new ArrayList<>();

    /**
     * A node, and the beginning of the keys below it, or the key that it has.
     *
     * @param key of a directory: with the slash behind it
     */
    private record Place(String path, String key) {}

    TreeListing(ZooKeeperRequests requests, NodePaths paths, String prefix) {
        this.requests = requests;
        this.prefix = prefix;
        directories.add(
                new Place(
                        paths.directoryOf(prefix),
                        prefix.substring(0, prefix.lastIndexOf('/') + 1)));
    }

    List<Listed> read() {
        while (!directories.isEmpty()) {
            List<Place> level = directories;
            directories = new ArrayList<>();
            forEachChunk(level, this::look);
        }
        List<Listed> listed = new ArrayList<>();
        forEachChunk(values, chunk -> listed.addAll(requests.ask(one -> read(one, chunk))));
        return listed;
    }

    private interface Use {
        void of(List<Place> chunk);
    }

    private static void forEachChunk(List<Place> places, Use use) {
        for (int i = 0; i < places.size(); i += AT_A_TIME) {
            use.of(places.subList(i, Math.min(i + AT_A_TIME, places.size())));
        }
    }

    private void look(List<Place> chunk) {
        List<List<String>> names = names(chunk);
        for (int i = 0; i < chunk.size(); i++) {
            Place directory = chunk.get(i);
            names.get(i).forEach(name -> add(directory, name));
        }
    }

    private List<List<String>> names(List<Place> chunk) {
        List<Integer> counts = requests.ask(one -> counts(one, chunk));
        try {
            return requests.ask(one -> names(one, chunk));
        } catch (StoreUnavailableException e) {
            int most = Collections.max(counts);
            if (most < Integer.getInteger("jute.maxbuffer", ANSWER_BYTES) / NAME_BYTES) {
                throw e;
            }
            throw new StoreUnavailableException(
                    String.format(
                            "ZooKeeper does not list %s, which has %d nodes: names of more than"
                                    + " 1 MiB in one answer need a higher -Djute.maxbuffer in this"
                                    + " program, in bytes, if that is why. %s",
                            chunk.get(counts.indexOf(most)).path(), most, e.getMessage()),
                    e);
        }
    }

    private static List<Integer> counts(ZooKeeperTry one, List<Place> chunk)
            throws KeeperException, InterruptedException {
        List<Reply<Optional<Stat>>> replies =
                chunk.stream().map(place -> one.stat(place.path())).toList();
        List<Integer> counts = new ArrayList<>();
        for (Reply<Optional<Stat>> reply : replies) {
            counts.add(reply.get().map(Stat::getNumChildren).orElse(0));
        }
        return counts;
    }

    private static List<List<String>> names(ZooKeeperTry one, List<Place> chunk)
            throws KeeperException, InterruptedException {
        Reply<Boolean> synced = one.sync(chunk.get(0).path());
        List<Reply<List<String>>> replies =
                chunk.stream().map(place -> one.children(place.path())).toList();
        var unused = synced.get();
        List<List<String>> names = new ArrayList<>();
        for (Reply<List<String>> reply : replies) {
            names.add(reply.get());
        }
        return names;
    }

    private void add(Place directory, String name) {
        String path = (directory.path().equals("/") ? "" : directory.path()) + "/" + name;
        String key = directory.key() + NodePaths.part(name);
        if (NodePaths.isValue(name)) {
            if (key.startsWith(prefix)) {
                values.add(new Place(path, key));
            }
        } else if (NodePaths.isDirectory(name) && (key + "/").startsWith(prefix)) {
            directories.add(new Place(path, key + "/"));
        }
    }

    private static List<Listed> read(ZooKeeperTry one, List<Place> chunk)
            throws KeeperException, InterruptedException {
        Reply<Boolean> synced = one.sync(chunk.get(0).path());
        List<Reply<Optional<Node>>> replies =
                chunk.stream().map(place -> one.node(place.path())).toList();
        var unused = synced.get();
        List<Listed> listed = new ArrayList<>();
        for (int i = 0; i < chunk.size(); i++) {
            String key = chunk.get(i).key();
            replies.get(i)
                    .get()
                    .ifPresent(
                            node ->
                                    listed.add(
                                            new Listed(
                                                    key,
                                                    node.data(),
                                                    node.stat().getEphemeralOwner() != 0)));
        }
        return listed;
    }
}
