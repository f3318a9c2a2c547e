package io.farheap.availability.etcd;

import io.farheap.availability.coordinator.Hints;
import io.farheap.availability.coordinator.Watch;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Consumer;

/**
 * Calls when etcd's stream says something, and every third of the ttl whatever it says: a stream
 * may end, or hang, without a word. One that is old is opened anew, where requests are answered by
 * then.
 */
final class EtcdWatch implements Watch {
    private static final int INTERVALS_OF_A_STREAM = 20;

    private final EtcdClient client;
    private final String prefix;
    private final long longestNanos;
    private final Consumer<AutoCloseable> ended;
    private final Hints hints;
    private CompletableFuture<HttpResponse<Void>> stream;
    private long openedNanos;
    private boolean closed;

    EtcdWatch(
            EtcdClient client,
            String prefix,
            Duration ttl,
            Runnable changed,
            Consumer<AutoCloseable> ended) {
        Duration interval = ttl.dividedBy(3);
        this.client = client;
        this.prefix = prefix;
        this.ended = ended;
        this.longestNanos = interval.toNanos() * INTERVALS_OF_A_STREAM;
        this.hints =
                new Hints(
                        interval,
                        () -> {
                            try {
                                keepOpen();
                            } finally {
                                changed.run();
                            }
                        });
    }

    private synchronized void keepOpen() {
        boolean old = stream != null && System.nanoTime() - openedNanos > longestNanos;
        if (closed || stream != null && !stream.isDone() && !old) {
            return;
        }
        if (stream != null) {
            stream.cancel(true);
        }
        openedNanos = System.nanoTime();
        stream =
                client.transport()
                        .send(
                                client.anyEndpoint(),
                                "/v3/watch",
                                EtcdMessages.watch(prefix),
                                client.token(),
                                BodyHandlers.fromLineSubscriber(new Lines()));
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (stream != null) {
                stream.cancel(true);
            }
        }
        hints.close();
        ended.accept(this);
    }

    /** That the watch is there is a line, too: what changed before it is read then. */
    private final class Lines implements Subscriber<String> {
        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            hints.hint();
        }

        /** It is opened again with the next interval: no faster, or it would be a busy loop. */
        @Override
        public void onError(Throwable failure) {
            // the next interval sees that it is done
        }

        @Override
        public void onComplete() {
            // the next interval sees that it is done
        }
    }
}
