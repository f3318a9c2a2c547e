package io.farheap.it.failover;

import io.farheap.ObjectPool;
import io.farheap.availability.PlannedTurn;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.Ref;
import io.farheap.poolset.RemoteReplica;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A node's program: opens the pool in its turn and appends numbers to it as it is told, one commit
 * each, by lines of its standard input: "add COUNT", "close". It answers "open FIRST-NUMBER",
 * "added N" for each commit that returned, "deposed MESSAGE", "failed MESSAGE", "refused MESSAGE"
 * where it could not be opened.
 */
public final class WriterProgram {
    private static final String LAYOUT = "numbers";
    private static final int MOST = 8000;

    private WriterProgram() {}

    /**
     * @param args create; record, which puts a pool that is there under a record; or open; the
     *     node, its directory, the store's file, the least number of copies
     */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[2]);
        Path set = directory.resolve("writer.set");
        boolean create = args[0].equals("create");
        boolean first = create || args[0].equals("record");
        PlannedTurn turn = turn(args[1], directory, Path.of(args[3]), Integer.parseInt(args[4]));
        Supplier<ObjectPool> opening =
                () -> create ? ObjectPool.create(set, LAYOUT) : ObjectPool.open(set, LAYOUT);
        try (ObjectPool pool = first ? turn.create(opening) : turn.open(opening)) {
            serve(pool);
        } catch (FarheapException e) {
            say("refused " + e.getMessage());
        }
    }

    private static PlannedTurn turn(String node, Path directory, Path store, int minCopies) {
        Map<RemoteReplica, String> nodes =
                List.of("a", "b", "c").stream()
                        .collect(
                                Collectors.toMap(
                                        name -> new RemoteReplica(null, name, 0, "copy.set"),
                                        Function.identity()));
        return new PlannedTurn(
                new FileStore(store),
                "test",
                "numbers",
                node,
                directory.resolve("copy.set"),
                nodes,
                minCopies);
    }

    private static void serve(ObjectPool pool) throws IOException {
        Ref root = pool.root(8 + 8L * MOST);
        say("open " + pool.getLong(root, 0));
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine();
                order != null && !order.equals("close");
                order = orders.readLine()) {
            if (order.equals("show")) {
                say("has " + numbers(pool.getLong(root, 0), at -> pool.getLong(root, at)));
                continue;
            }
            for (int i = Integer.parseInt(order.substring("add ".length())); i > 0; i--) {
                add(pool, root);
            }
        }
    }

    private static String numbers(long count, LongUnaryOperator word) {
        for (long i = 1; i <= count; i++) {
            if (word.applyAsLong(8 * i) != i) {
                return "a hole at " + i;
            }
        }
        return Long.toString(count);
    }

    private static void add(ObjectPool pool, Ref root) {
        try {
            long next = 1 + pool.getLong(root, 0);
            pool.transaction(
                    tx -> {
                        tx.setLong(root, 8 * next, next);
                        tx.setLong(root, 0, next);
                    });
            say("added " + next);
        } catch (PoolDeposedException e) {
            say("deposed " + e.getMessage());
        } catch (FarheapException e) {
            say("failed " + e.getMessage());
        }
    }

    private static void say(String line) {
        System.out.println(line.replace('\n', ' '));
        System.out.flush();
    }
}
