package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.objects.EveryCollection.Root;
import io.farheap.objects.EveryCollection.Thing;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A program's calls on a damaged heap, in a thread of their own: each must end soon, with an answer
 * or refused with a sentence, whatever is damaged. A read is refused as bad data, or as of
 * something that was deleted or lies in another order, which bytes may say. Of what a change or an
 * opening says, the bytes may also make it seem wrong use: that a part was freed before, or a type
 * is another one.
 */
final class HostileCalls implements AutoCloseable {
    private static final int MOST_SECONDS = 30;

    private final ExecutorService program = Executors.newSingleThreadExecutor();
    private final List<String> refused = new ArrayList<>();
    private final boolean areTypesDamaged;

    /**
     * @param areTypesDamaged whether what is read may be of types that no program has
     */
    HostileCalls(boolean areTypesDamaged) {
        this.areTypesDamaged = areTypesDamaged;
    }

    /** What ends a transaction whose changes are not to stay. */
    private static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** What was refused since this was asked, and how. */
    List<String> refused() {
        List<String> before = List.copyOf(refused);
        refused.clear();
        return before;
    }

    /** Everything that a program reads of the collections whose kind is asked for. */
    void readAll(PersistentHeap<Root> heap, String where, Predicate<String> kinds) {
        EveryCollection.reads()
                .forEach(
                        (name, read) -> {
                            if (kinds.test(kindOf(name))) {
                                read(where + name, () -> read.apply(thing(heap.root())));
                                read(
                                        where + name + " in a read",
                                        () -> heap.read(root -> read.apply(thing(root))));
                            }
                        });
    }

    /** Everything that it changes in them, none of which stays. */
    void changeAll(PersistentHeap<Root> heap, String where, Predicate<String> kinds) {
        EveryCollection.changes()
                .forEach(
                        (name, change) -> {
                            if (kinds.test(kindOf(name))) {
                                call(where + name, () -> undone(heap, change));
                            }
                        });
        call(where + "delete", () -> undone(heap, heap::delete));
    }

    /** A reference to nothing is an answer, too. */
    private static Thing thing(Root root) {
        return Optional.ofNullable(root.thing()).orElseThrow();
    }

    private static String kindOf(String name) {
        return name.substring(0, name.indexOf('.'));
    }

    private static Void undone(PersistentHeap<Root> heap, Consumer<Thing> change) {
        heap.transaction(
                root -> {
                    change.accept(thing(root));
                    throw new Undone();
                });
        return null;
    }

    /** One call that changes nothing; what it returns, null where it is refused. */
    <T> T read(String what, Callable<T> call) {
        return areTypesDamaged ? call(what, call) : call(what, call, HostileCalls::isOfData);
    }

    /** One call; what it returns, null where it is refused. */
    <T> T call(String what, Callable<T> call) {
        return call(what, call, e -> isOfData(e) || e.category() == Category.WRONG_USE);
    }

    private static boolean isOfData(FarheapException e) {
        return e.category() == Category.BAD_DATA
                || e.getMessage().contains("was deleted")
                || e.getMessage().contains("lies in the order of");
    }

    private <T> T call(String what, Callable<T> call, Predicate<FarheapException> isExpected) {
        Future<T> answer = program.submit(() -> answer(what, call, isExpected));
        try {
            return answer.get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(what + " does not end", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(what + " was interrupted", e);
        } catch (ExecutionException e) {
            throw new AssertionError(what, e.getCause());
        }
    }

    private <T> T answer(String what, Callable<T> call, Predicate<FarheapException> isExpected)
            throws Exception {
        try {
            return call.call();
        } catch (Undone | NoSuchElementException answer) {
            return null;
        } catch (FarheapException e) {
            assertThat(e.getMessage()).isNotBlank();
            if (!isExpected.test(e)) {
                throw e;
            }
            refused.add(what + ": " + e.getMessage());
            return null;
        }
    }

    @Override
    public void close() {
        program.shutdownNow();
    }
}
