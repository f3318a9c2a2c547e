package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.LongType;
import io.farheap.objects.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What leaves a deque by a condition leaves it in one pass. */
class DequeRemovalTest {
    private final OpenHeap heap = OpenHeap.create(16 << 20);
    private final Counted type = new Counted();
    private final DequeChunks<Long> chunks = new DequeChunks<>(type, 128);
    private final long header = heap.heap.transaction(chunks::create);
    private final ChunkedDeque<Long> deque = new ChunkedDeque<>(heap.heap, chunks, header);

    @AfterEach
    void close() {
        heap.close();
    }

    /** A long that counts how often one was loaded. */
    private static final class Counted extends ValueType<Long> {
        private long loads;

        @Override
        public int size() {
            return LongType.LONG.size();
        }

        @Override
        public int alignment() {
            return LongType.LONG.alignment();
        }

        @Override
        public Long get(HeapTransaction tx, long object, long offset) {
            loads++;
            return LongType.LONG.get(tx, object, offset);
        }

        @Override
        public void set(HeapTransaction tx, long object, long offset, Long value) {
            LongType.LONG.set(tx, object, offset, value);
        }

        @Override
        public int hash(Long value) {
            return LongType.LONG.hash(value);
        }
    }

    private static List<Long> numbers(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @Test
    void eachElementIsLoadedOnce() {
        List<Long> numbers = numbers(3_000);
        assertThat(deque.addAll(numbers)).isTrue();
        type.loads = 0;
        assertThat(deque.removeIf(number -> number % 3 != 0)).isTrue();
        assertThat(type.loads).isEqualTo(3_000);
        assertThat(deque)
                .containsExactlyElementsOf(numbers.stream().filter(n -> n % 3 == 0).toList());
        type.loads = 0;
        assertThat(deque.removeAll(numbers(300))).isTrue();
        assertThat(deque.retainAll(numbers(301))).isTrue();
        assertThat(type.loads).isEqualTo(1_000 + 900);
        assertThat(deque).containsExactly(300L);
        assertThat(deque.removeIf(number -> number == 1)).isFalse();
        assertThat(deque.removeIf(number -> number == 300)).isTrue();
        assertThat(deque).isEmpty();
        assertThat(deque.add(7L)).isTrue();
        assertThat(deque).containsExactly(7L);
    }

    @Test
    void whatIsLeftIsWhatAListHasLeft() {
        Random random = new Random(11);
        List<Long> list = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            List<Long> more = numbers(random.nextInt(60));
            list.addAll(more);
            boolean unused = deque.addAll(more);
            int kept = random.nextInt(3);
            assertThat(deque.removeIf(number -> number % 3 != kept))
                    .isEqualTo(list.removeIf(number -> number % 3 != kept));
            assertThat(deque).containsExactlyElementsOf(list);
            assertThat(deque.size()).isEqualTo(list.size());
        }
    }

    /** Then elements are found by what they are. */
    @Test
    void aConditionMayChangeTheDeque() {
        assertThat(deque.addAll(numbers(100))).isTrue();
        boolean removed =
                deque.removeIf(
                        number -> {
                            if (number == 50) {
                                assertThat(deque.pollFirst()).isEqualTo(1);
                                assertThat(deque.pollLast()).isEqualTo(99);
                            }
                            return number % 2 == 0;
                        });
        assertThat(removed).isTrue();
        assertThat(deque)
                .containsExactlyElementsOf(
                        numbers(99).stream().filter(n -> n % 2 != 0 && n > 1).toList());
    }
}
