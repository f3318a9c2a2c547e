package io.farheap.availability.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.farheap.availability.coordinator.Swap.Outcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Clients that append words to one value, each word once, and what they were told of each. The
 * value is only ever made longer: whatever was applied at any time is in it at the end.
 */
public final class CoordinatorHistory implements AutoCloseable {
    private static final String KEY = "history";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();
    private volatile boolean ending;

    /**
     * @param settled after an unknown outcome: a read within the same version showed the word
     */
    private record Told(String word, Outcome outcome, boolean settled) {}

    /** One more client, which is closed at the end. */
    public void start(String name, Supplier<Coordinator> connect) {
        running.add(threads.submit(() -> append(name + "-", connect)));
    }

    private void append(String name, Supplier<Coordinator> connect) {
        try (Coordinator client = connect.get()) {
            for (int i = 0; !ending; i++) {
                Versioned now;
                try {
                    now = client.read(KEY);
                } catch (StoreUnavailableException e) {
                    continue;
                }
                String word = name + i + ";";
                byte[] longer = (now.value().map(String::new).orElse("") + word).getBytes(UTF_8);
                Swap swap = client.compareAndSet(KEY, now.version(), longer);
                boolean settled =
                        swap.outcome() == Outcome.UNKNOWN
                                && settle(client, now.version(), longer, word);
                synchronized (told) {
                    told.add(new Told(word, swap.outcome(), settled));
                }
            }
        }
    }

    /** The same again until a read or an answer tells: as whoever writes the record has to. */
    private boolean settle(Coordinator client, long version, byte[] longer, String word) {
        while (true) {
            try {
                Versioned now = client.read(KEY);
                if (now.version() != version) {
                    return new String(now.value().orElseThrow(), UTF_8).contains(word);
                }
                if (client.compareAndSet(KEY, version, longer).outcome() == Outcome.APPLIED) {
                    return true;
                }
            } catch (StoreUnavailableException e) {
                continue;
            }
        }
    }

    public int applied() {
        return counts().getOrDefault(Outcome.APPLIED, 0);
    }

    public Map<Outcome, Integer> counts() {
        Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
        synchronized (told) {
            told.forEach(one -> counts.merge(one.outcome(), 1, Integer::sum));
        }
        return counts;
    }

    /** Words of which something wrong was told, as a client sees the value at the end. */
    public Set<String> wrong(Supplier<Coordinator> connect) throws Exception {
        ending = true;
        for (Future<?> client : running) {
            client.get(2, TimeUnit.MINUTES);
        }
        String value;
        try (Coordinator client = connect.get()) {
            value = new String(client.read(KEY).value().orElseThrow(), UTF_8);
        }
        Set<String> there = new TreeSet<>(List.of(value.split("(?<=;)")));
        Set<String> wrong = new TreeSet<>();
        for (Told one : told) {
            boolean expected = one.outcome() == Outcome.APPLIED || one.settled();
            if (there.contains(one.word()) != expected) {
                wrong.add(one.toString());
            }
        }
        if (value.split(";").length != there.size()) {
            wrong.add("a word twice");
        }
        return wrong;
    }

    @Override
    public void close() {
        ending = true;
        threads.shutdownNow();
    }
}
