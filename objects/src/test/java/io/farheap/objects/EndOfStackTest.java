package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A program recurses without end, and a call of the heap is where its thread's stack ends: once it
 * has caught the error, it can go on.
 */
@Timeout(120)
class EndOfStackTest {
    private static final int ROUNDS = 60;
    private static final long STACK = 400_000;

    @Persistent
    interface Root {
        long number();

        void number(long value);

        PersistentMap<Long, String> map();

        PersistentDeque<Long> deque();
    }

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
    private int depth;

    @AfterEach
    void close() {
        heap.close();
    }

    enum Call {
        GETTER(heap -> use(heap.root().number())),
        SETTER(heap -> heap.root().number(1)),
        GET(heap -> use(heap.root().map().get(1L))),
        SIZE(heap -> use(heap.root().map().size())),
        PUT(heap -> use(heap.root().map().put(2L, "two"))),
        ADD(heap -> use(heap.root().deque().add(1L))),
        READ(heap -> heap.view(root -> use(root.number() + root.map().size()))),
        TRANSACTION(heap -> heap.transaction(root -> root.number(root.number() + 1)));

        private final Consumer<PersistentHeap<Root>> call;

        Call(Consumer<PersistentHeap<Root>> call) {
            this.call = call;
        }

        private static void use(Object unused) {}
    }

    @ParameterizedTest
    @EnumSource
    void whoCatchesItsErrorGoesOn(Call call) throws InterruptedException {
        heap.root().map().put(1L, "one");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(null, () -> rounds(call), "recursing", STACK);
        thread.setUncaughtExceptionHandler((unused, thrown) -> failure.set(thrown));
        thread.start();
        thread.join();
        assertThat(failure.get()).isNull();
        assertThat(heap.root().number()).isEqualTo(ROUNDS);
    }

    private void rounds(Call call) {
        for (int round = 1; round <= ROUNDS; round++) {
            depth = 0;
            try {
                recurse(call, round);
                throw new AssertionError("no end of the stack");
            } catch (StackOverflowError expected) {
                assertThat(depth).isPositive();
            }
            long number = round;
            heap.transaction(
                    root -> {
                        root.number(number);
                        root.deque().clear();
                    });
            heap.view(root -> assertThat(root.number()).isEqualTo(number));
        }
    }

    /** Frames of another size in each round, so that the end comes at another place. */
    private int recurse(Call call, int round) {
        depth++;
        call.call.accept(heap);
        int below = round % 2 == 0 ? recurse(call, round) : recurseWider(call, round, 1, 2, 3);
        return below + 1;
    }

    private int recurseWider(Call call, int round, long one, long two, long three) {
        depth++;
        call.call.accept(heap);
        return recurse(call, round) + (int) (one + two * three);
    }
}
