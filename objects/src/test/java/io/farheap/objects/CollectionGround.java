package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.objects.EveryCollection.Root;
import io.farheap.objects.EveryCollection.Thing;
import io.farheap.objects.collection.CollectionType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Collections of one structure, for a fuzz test that damages whatever they own. */
final class CollectionGround implements AutoCloseable {
    private static final long SECONDS = 20;
    private static final long FREE_BYTES = 256 << 20;

    /** Of a type: more of them show nothing new. */
    private static final int MOST_VICTIMS = 3;

    private final HostileCalls calls = new HostileCalls(false);
    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
    private final Set<String> kinds;
    private final DamagedObjects objects;

    /**
     * @param kinds of {@link EveryCollection#fills}
     */
    CollectionGround(String... kinds) {
        this.kinds = Set.of(kinds);
        heap.transaction(root -> root.thing(heap.create(Thing.class)));
        Set<Ref> empty = objects(heap.pool());
        heap.transaction(
                root -> {
                    for (String kind : kinds) {
                        EveryCollection.fills().get(kind).accept(root.thing());
                    }
                });
        this.objects = new DamagedObjects(heap.pool(), victims(empty));
    }

    private static Set<Ref> objects(ObjectPool pool) {
        Set<Ref> all = new LinkedHashSet<>();
        pool.objects().forEach(all::add);
        return all;
    }

    /** Headers, which were there before, and what came with entries: some of each type. */
    private List<Ref> victims(Set<Ref> before) {
        ObjectPool pool = heap.pool();
        Map<Long, Integer> counts = new HashMap<>();
        List<Ref> victims = new ArrayList<>();
        for (Ref object : objects(pool)) {
            long type = pool.typeNumber(object);
            boolean isPart = CollectionType.nameOf(type) != null || !before.contains(object);
            if (isPart && counts.merge(type, 1, Integer::sum) <= MOST_VICTIMS) {
                victims.add(object);
            }
        }
        return victims;
    }

    Stream<byte[]> seeds() {
        return objects.seeds();
    }

    void take(byte[] input) throws Exception {
        objects.damage(new Take(input));
        try {
            Inputs.bounded(SECONDS, FREE_BYTES, this::callAll);
        } finally {
            objects.mend();
        }
        calls.readAll(heap, "mended: ", kinds::contains);
        assertThat(calls.refused()).isEmpty();
    }

    private void callAll() {
        calls.readAll(heap, "", kinds::contains);
        calls.changeAll(heap, "", kinds::contains);
        List<String> unused = calls.refused();
    }

    @Override
    public void close() {
        calls.close();
        heap.close();
    }
}
