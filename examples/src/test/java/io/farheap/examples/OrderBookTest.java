package io.farheap.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.examples.OrderBook.Book;
import io.farheap.examples.OrderBook.Order;
import io.farheap.examples.OrderBook.Trade;
import io.farheap.objects.PersistentHeap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrderBookTest {
    @Test
    void theBestPriceTradesFirstAndAtOnePriceTheOldest() {
        try (PersistentHeap<Book> heap = PersistentHeap.inMemory(Book.class)) {
            OrderBook book = new OrderBook(heap);
            assertThat(book.sell("late and dear", 102, 10)).isEmpty();
            assertThat(book.sell("first", 101, 10)).isEmpty();
            assertThat(book.sell("second", 101, 10)).isEmpty();
            assertThat(book.sell("cheap", 100, 5)).isEmpty();

            assertThat(book.buy("buyer", 101, 20))
                    .containsExactly(
                            new Trade("cheap", 100, 5),
                            new Trade("first", 101, 10),
                            new Trade("second", 101, 5));

            assertThat(heap.root().asks().values())
                    .containsExactly(new Order("second", 5), new Order("late and dear", 10));
            assertThat(heap.root().bids()).isEmpty();
        }
    }

    @Test
    void whatFindsNoOtherSideWaitsAndTheHighestBidTradesFirst() {
        try (PersistentHeap<Book> heap = PersistentHeap.inMemory(Book.class)) {
            OrderBook book = new OrderBook(heap);
            book.sell("seller", 100, 3);
            assertThat(book.buy("low", 99, 10)).isEmpty();
            assertThat(book.buy("high", 100, 10)).containsExactly(new Trade("seller", 100, 3));

            assertThat(book.sell("other", 99, 8))
                    .containsExactly(new Trade("high", 100, 7), new Trade("low", 99, 1));
            assertThat(heap.root().bids().values()).containsExactly(new Order("low", 9));
        }
    }

    /** What was ordered is traded, both times, or waits. */
    @Test
    void threadsThatOrderAtOnceLoseNothing() throws Exception {
        try (PersistentHeap<Book> heap = PersistentHeap.inMemory(Book.class);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            OrderBook book = new OrderBook(heap);
            List<Future<long[]>> runs = new ArrayList<>();
            for (long seed = 1; seed <= 3; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                runs.add(threads.submit(() -> orderAtRandom(book, random)));
            }
            long ordered = 0;
            long traded = 0;
            for (Future<long[]> run : runs) {
                ordered += run.get()[0];
                traded += run.get()[1];
            }

            long waiting =
                    heap.read(
                            root ->
                                    root.asks().values().stream().mapToLong(Order::quantity).sum()
                                            + root.bids().values().stream()
                                                    .mapToLong(Order::quantity)
                                                    .sum());
            assertThat(waiting + 2 * traded).isEqualTo(ordered);
            assertThat(traded).isPositive();
        }
    }

    private static long[] orderAtRandom(OrderBook book, SplittableRandom random) {
        long ordered = 0;
        long traded = 0;
        for (int i = 0; i < 200; i++) {
            long price = random.nextLong(95, 106);
            long quantity = random.nextLong(1, 20);
            List<Trade> trades =
                    random.nextBoolean()
                            ? book.buy("trader", price, quantity)
                            : book.sell("trader", price, quantity);
            ordered += quantity;
            traded += trades.stream().mapToLong(Trade::quantity).sum();
        }
        return new long[] {ordered, traded};
    }

    @Test
    void theBookIsThereAfterItIsOpenedAgain(@TempDir Path directory) {
        Path file = directory.resolve("book");
        try (PersistentHeap<Book> heap = PersistentHeap.openOrCreate(file, 16L << 20, Book.class)) {
            new OrderBook(heap).sell("first", 100, 1);
        }

        try (PersistentHeap<Book> heap = PersistentHeap.open(file, Book.class)) {
            OrderBook book = new OrderBook(heap);
            book.sell("second", 100, 1);
            assertThat(book.buy("buyer", 100, 2))
                    .containsExactly(new Trade("first", 100, 1), new Trade("second", 100, 1));
        }
    }
}
