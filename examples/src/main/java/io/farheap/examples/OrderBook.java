package io.farheap.examples;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentSortedMap;
import java.util.ArrayList;
import java.util.List;

/** Limit orders of one paper: the best price trades first, at one price the oldest order. */
final class OrderBook {
    @Persistent
    interface Book {
        PersistentSortedMap<Place, Order> asks();

        PersistentSortedMap<Place, Order> bids();

        long orders();

        void orders(long value);
    }

    /** Where an order stands: by rank (an ask's price, a bid's negative one), then by age. */
    record Place(long rank, long number) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            return rank != other.rank
                    ? Long.compare(rank, other.rank)
                    : Long.compare(number, other.number);
        }
    }

    record Order(String trader, long quantity) {}

    record Trade(String with, long price, long quantity) {}

    private final PersistentHeap<Book> heap;

    OrderBook(PersistentHeap<Book> heap) {
        this.heap = heap;
    }

    List<Trade> buy(String trader, long price, long quantity) {
        return heap.compute(
                book -> trade(book, book.asks(), book.bids(), price, new Order(trader, quantity)));
    }

    List<Trade> sell(String trader, long price, long quantity) {
        return heap.compute(
                book -> trade(book, book.bids(), book.asks(), -price, new Order(trader, quantity)));
    }

    /** Trades with the others up to a rank of theirs; what is left waits on its own side. */
    private static List<Trade> trade(
            Book book,
            PersistentSortedMap<Place, Order> others,
            PersistentSortedMap<Place, Order> own,
            long limit,
            Order order) {
        List<Trade> trades = new ArrayList<>();
        long left = order.quantity();
        for (Place place : others.headMap(new Place(limit, Long.MAX_VALUE), true).keySet()) {
            Order other = others.remove(place);
            long traded = Math.min(left, other.quantity());
            trades.add(new Trade(other.trader(), Math.abs(place.rank()), traded));
            left -= traded;
            if (traded < other.quantity()) {
                others.put(place, new Order(other.trader(), other.quantity() - traded));
            }
            if (left == 0) {
                return trades;
            }
        }
        book.orders(book.orders() + 1);
        own.put(new Place(-limit, book.orders()), new Order(order.trader(), left));
        return trades;
    }
}
