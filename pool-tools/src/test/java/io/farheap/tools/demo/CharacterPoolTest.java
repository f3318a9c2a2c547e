package io.farheap.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.tools.demo.CharacterPool.Charts;
import io.farheap.tools.demo.CharacterPool.CodePoint;
import io.farheap.tools.demo.UnicodeCharacters.Entry;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CharacterPoolTest {
    private static final List<List<Entry>> COLUMNS = UnicodeCharacters.columns();
    private static final int LOADED = 20;

    @TempDir Path dir;
    private PersistentHeap<Charts> heap;
    private CharacterPool characters;

    @BeforeEach
    void someColumns() {
        heap = PersistentHeap.openOrCreate(dir.resolve("a.pool"), 16 << 20, Charts.class);
        characters = new CharacterPool(heap);
        COLUMNS.subList(0, LOADED).forEach(characters::add);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    void theDataSetIsWhatTheJdkSaysOfTheseCharacters() {
        List<Entry> all = COLUMNS.stream().flatMap(List::stream).toList();

        assertThat(all).hasSizeGreaterThan(10_000);
        assertThat(all)
                .allSatisfy(e -> assertThat(e.name()).isEqualTo(Character.getName(e.codePoint())));
        assertThat(all.get('A')).isEqualTo(new Entry('A', "BASIC LATIN", "LATIN CAPITAL LETTER A"));
    }

    @Test
    void whatWasLoadedIsFound() {
        DemoResult result = DemoResult.of(characters, LOADED);

        assertThat(result.problems()).isEmpty();
        assertThat(result.summary())
                .contains("20 transactions with " + characters.records() + " records")
                .endsWith("half transactions: 0");
        assertThat(DemoResult.of(characters, LOADED - 1).problems()).isEmpty();
    }

    @Test
    void aLostTransactionIsNoticed() {
        assertThat(DemoResult.of(characters, LOADED + 2).problems())
                .containsExactly("2 acknowledged transactions are missing");
    }

    @Test
    void aHalfTransactionIsNoticed() {
        // As if the last column's newest record had not made it into the map.
        var unused = heap.root().characters().pollLastEntry();

        DemoResult result = DemoResult.of(characters, LOADED);

        assertThat(result.summary()).endsWith("half transactions: 1");
        assertThat(result.problems()).hasSize(3);
        assertThat(result.problems().get(0)).startsWith("transaction 20 has 15 records");
    }

    @Test
    void aChangedRecordIsNoticed() {
        heap.root().characters().lastEntry().getValue().name("x");

        assertThat(DemoResult.of(characters, LOADED).problems())
                .singleElement()
                .asString()
                .startsWith("transaction 20 has 16 records");
    }

    @Test
    void aRecordThatNothingRefersToIsNoticed() {
        CodePoint lost = heap.create(CodePoint.class);
        assertThat(lost.column()).isZero();

        assertThat(DemoResult.of(characters, LOADED).problems())
                .singleElement()
                .asString()
                .startsWith("the heap has");
    }
}
