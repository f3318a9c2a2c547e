package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The feeds of a stream's members that commits don't wait for; often there are none. */
final class AsyncFeeds {
    private static final long PAUSE_NANOS = 50_000;

    private final AsyncFeed[] feeds;
    private final StagingRing ring;
    private final Duration patience;
    private final LagBound bound;

    AsyncFeeds(
            StreamMembers members,
            StagingRing ring,
            BatchPoster poster,
            StreamSettings settings,
            BatchPoster.FailureListener failures) {
        this.ring = ring;
        this.patience = settings.commitTimeout();
        this.bound = settings.lag();
        AckedPositions[] lagging = members.lagging();
        feeds = new AsyncFeed[lagging.length];
        for (int i = 0; i < feeds.length; i++) {
            feeds[i] = new AsyncFeed(lagging[i], ring, poster, settings, failures);
        }
    }

    void start() {
        for (AsyncFeed feed : feeds) {
            feed.start();
        }
    }

    /** A record is ready. */
    void wake() {
        for (AsyncFeed feed : feeds) {
            feed.wake();
        }
    }

    /** Somebody waits for room in the ring. */
    void wantRoom() {
        for (AsyncFeed feed : feeds) {
            feed.wantRoom();
        }
    }

    /** Position up to which records may be claimed now. */
    long limit(long span) {
        long limit = Long.MAX_VALUE;
        for (AsyncFeed feed : feeds) {
            limit = Math.min(limit, feed.limit(span));
        }
        return limit;
    }

    /** One that is as far behind as it may be; null where none is. */
    AsyncFeed holdingBack(long span) {
        for (AsyncFeed feed : feeds) {
            if (ring.position() > feed.limit(span) - span) {
                return feed;
            }
        }
        return null;
    }

    /** One that has been too far behind for as long as commits would wait for it. */
    AsyncFeed overdue() {
        for (AsyncFeed feed : feeds) {
            if (feed.isAlive() && feed.lagNanos() > bound.time().plus(patience).toNanos()) {
                return feed;
            }
        }
        return null;
    }

    /** The feed of a member; null where commits wait for that. */
    AsyncFeed of(AckedPositions replica) {
        for (AsyncFeed feed : feeds) {
            if (feed.replica() == replica) {
                return feed;
            }
        }
        return null;
    }

    FarheapException lost(AsyncFeed feed) {
        return FarheapException.replica(
                "it lags by %s bytes and %s ms (lag-bytes is %s, lag-time %s ms), and"
                        + " did not catch up within %s ms",
                feed.lagBytes(),
                feed.lagNanos() / 1_000_000,
                bound.bytes(),
                bound.time().toMillis(),
                patience.toMillis());
    }

    /** Waits until those that still post have the record, or the time is over. */
    void awaitFed(long sequence, Duration time) {
        long begin = System.nanoTime();
        for (AsyncFeed feed : feeds) {
            while (feed.isAlive()
                    && feed.replica().durableSequence() < sequence
                    && System.nanoTime() - begin < time.toNanos()) {
                feed.wake();
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
    }

    /** For the flight recorder. */
    void report(String poolset) {
        for (AsyncFeed feed : feeds) {
            LagEvent.report(poolset, feed);
        }
    }

    /** Nobody waits for that member any more, if it is one of these: it is lost. */
    void giveUp(AckedPositions replica) {
        AsyncFeed lost = of(replica);
        if (lost != null) {
            lost.giveUp();
        }
    }

    void stop() {
        for (AsyncFeed feed : feeds) {
            feed.stop();
        }
    }

    void awaitStopped() {
        for (AsyncFeed feed : feeds) {
            feed.awaitStopped();
        }
    }
}
