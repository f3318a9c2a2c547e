package io.farheap.tools.demo;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.tools.demo.UnicodeCharacters.Entry;
import java.nio.file.Path;
import java.util.List;

/**
 * Characters in a pool, one transaction per column of the code charts. The root counts, so that a
 * half transaction would show.
 */
final class CharacterPool implements AutoCloseable {
    private static final String CHARACTER = "Character";

    /** The root. */
    @Persistent(name = "Charts")
    interface Charts {
        PersistentSortedMap<Integer, CodePoint> characters();

        PersistentMap<String, Block> blocks();

        long records();

        void records(long value);

        long columns();

        void columns(long value);
    }

    /** A block of the charts, to which its characters refer. */
    @Persistent(name = "Block")
    interface Block {
        String name();

        void name(String value);
    }

    /** One character, and the transaction that wrote it. */
    @Persistent(name = CHARACTER)
    interface CodePoint {
        Block block();

        void block(Block value);

        String name();

        void name(String value);

        int column();

        void column(int value);
    }

    /**
     * A record as it was found.
     *
     * @param column the transaction that wrote it
     * @param entry what it says
     */
    record Found(int column, Entry entry) {}

    private final PersistentHeap<Charts> heap;

    CharacterPool(PersistentHeap<Charts> heap) {
        this.heap = heap;
    }

    /** Opens it, or makes it where none of it is there. */
    static CharacterPool open(Path set) {
        return new CharacterPool(PersistentHeap.open(set, Charts.class));
    }

    /** How many columns were loaded, as the root says. */
    long columns() {
        return heap.root().columns();
    }

    /** How many records there are, as the root says. */
    long records() {
        return heap.root().records();
    }

    /** How many record objects the heap has, found from the root or not. */
    long allocatedRecords() {
        long lost =
                heap.unreachable().types().stream()
                        .filter(type -> type.type().equals(CHARACTER))
                        .mapToLong(type -> type.objects())
                        .sum();
        return heap.root().characters().size() + lost;
    }

    /** Adds the next column in one transaction; durable, here and on the replica, on return. */
    void add(List<Entry> column) {
        heap.transaction(
                charts -> {
                    for (Entry entry : column) {
                        Block block =
                                charts.blocks()
                                        .computeIfAbsent(entry.block(), name -> newBlock(name));
                        CodePoint character = heap.create(CodePoint.class);
                        character.block(block);
                        character.name(entry.name());
                        character.column((int) charts.columns());
                        charts.characters().put(entry.codePoint(), character);
                    }
                    charts.records(charts.records() + column.size());
                    charts.columns(charts.columns() + 1);
                });
    }

    private Block newBlock(String name) {
        return heap.create(Block.class, block -> block.name(name));
    }

    /** Every record, the first loaded first. */
    List<Found> all() {
        return heap.read(
                charts ->
                        charts.characters().entrySet().stream()
                                .map(one -> found(one.getKey(), one.getValue()))
                                .toList());
    }

    private static Found found(int codePoint, CodePoint character) {
        return new Found(
                character.column(),
                new Entry(codePoint, character.block().name(), character.name()));
    }

    @Override
    public void close() {
        heap.close();
    }
}
