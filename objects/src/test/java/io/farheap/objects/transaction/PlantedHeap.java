package io.farheap.objects.transaction;

import io.farheap.ObjectPool;
import io.farheap.engine.EngineOf;
import io.farheap.engine.PoolEngine;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The transactions of a pool with one rule broken, and with places where a test can do something in
 * the middle of another thread's step. What happens at such a place happens once.
 */
final class PlantedHeap {
    private final Mistake mistake;
    private final boolean looksAtClock;
    private final PoolEngine engine;
    final HeapState state;
    final HeapTransactions transactions;

    private volatile Runnable afterFirstLook;
    private volatile Runnable beforeSecondLook;
    private volatile Runnable beforeLookAtClock;
    private volatile Runnable beforeLock;
    private volatile Runnable afterVersion;
    private volatile Runnable afterStore;
    private volatile Runnable beforeWait;
    private volatile Runnable inPlaceOfCommit;

    /**
     * @param looksAtClock whether reads look at the clock first, as they do; else they ask stripes
     *     from the beginning
     */
    PlantedHeap(ObjectPool pool, Mistake mistake, boolean looksAtClock) {
        this.mistake = mistake;
        this.looksAtClock = looksAtClock;
        this.engine = EngineOf.pool(pool);
        ActiveSnapshots active = new ActiveSnapshots();
        this.state =
                new HeapState(
                        engine,
                        new PlantedStripes(),
                        new PlantedClock(),
                        active,
                        new PlantedHistory(active),
                        new PlantedCommit()) {
                    @Override
                    HeapReader reader() {
                        return new PlantedReader(this);
                    }
                };
        this.transactions = new HeapTransactions(state);
    }

    /** A read has looked at a stripe's word and not yet at the bytes. */
    void onceAfterFirstLook(Runnable action) {
        afterFirstLook = action;
    }

    /** A read has loaded the bytes. */
    void onceBeforeSecondLook(Runnable action) {
        beforeSecondLook = action;
    }

    /** A read has loaded bytes and not yet looked at the clock. */
    void onceBeforeLookAtClock(Runnable action) {
        beforeLookAtClock = action;
    }

    void onceBeforeLock(Runnable action) {
        beforeLock = action;
    }

    /** A commit has its locks and its version. */
    void onceAfterVersion(Runnable action) {
        afterVersion = action;
    }

    /** A commit is durable and in place, and nobody sees it. */
    void onceAfterStore(Runnable action) {
        afterStore = action;
    }

    /** A commit has finished and is about to wait for older versions. */
    void onceBeforeWait(Runnable action) {
        beforeWait = action;
    }

    /** The pool's own commit fails after this. */
    void onceInPlaceOfCommit(Runnable action) {
        inPlaceOfCommit = action;
    }

    private final class PlantedStripes extends Stripes {
        @Override
        long word(int stripe) {
            long word = super.word(stripe);
            Runnable action = afterFirstLook;
            if (action != null) {
                afterFirstLook = null;
                action.run();
            }
            return word;
        }

        @Override
        boolean isUnchanged(int stripe, long word) {
            Runnable action = beforeSecondLook;
            if (action != null) {
                beforeSecondLook = null;
                action.run();
            }
            return mistake == Mistake.NO_SECOND_LOOK || super.isUnchanged(stripe, word);
        }

        @Override
        boolean tryLock(int stripe, long word) {
            Runnable action = beforeLock;
            if (action != null) {
                beforeLock = null;
                action.run();
            }
            if (mistake == Mistake.LOCKS_BLINDLY) {
                giveBack(stripe, word | 1);
                return true;
            }
            return super.tryLock(stripe, word);
        }
    }

    private final class PlantedClock extends VersionClock {
        private final AtomicLong newest = new AtomicLong();

        @Override
        long watermark() {
            return switch (mistake) {
                case CLOCK_FOR_WATERMARK -> last();
                case FINISHES_OUT_OF_ORDER -> newest.get();
                default -> super.watermark();
            };
        }

        @Override
        boolean isLast(long snapshot) {
            Runnable action = beforeLookAtClock;
            if (action != null) {
                beforeLookAtClock = null;
                action.run();
            }
            return switch (mistake) {
                case NO_LOOK_AT_CLOCK -> true;
                case LOOKS_AT_WATERMARK -> super.watermark() == snapshot;
                default -> looksAtClock && super.isLast(snapshot);
            };
        }

        @Override
        void finish(long version) {
            newest.accumulateAndGet(version, Math::max);
            super.finish(version);
        }

        @Override
        void awaitFinished(long version) {
            if (mistake == Mistake.RETURNS_BEFORE_FINISHED) {
                return;
            }
            Runnable action = beforeWait;
            if (action != null) {
                beforeWait = null;
                action.run();
            }
            super.awaitFinished(version);
        }
    }

    private final class PlantedHistory extends History {
        PlantedHistory(ActiveSnapshots active) {
            super(active, 1 << 20);
        }

        @Override
        void push(OldBytes entry) {
            if (mistake != Mistake.NO_HISTORY) {
                super.push(entry);
            }
        }

        @Override
        boolean isUnneeded(OldBytes entry, long oldest) {
            return mistake == Mistake.DROPS_TOO_EARLY || super.isUnneeded(entry, oldest);
        }

        @Override
        boolean isReadBetween(long version, long later) {
            return mistake != Mistake.DROPS_BETWEEN && super.isReadBetween(version, later);
        }
    }

    private final class PlantedReader extends HeapReader {
        PlantedReader(HeapState heap) {
            super(heap);
        }

        @Override
        void refuseGlance() {
            if (mistake != Mistake.GOES_ON_OVERTAKEN) {
                super.refuseGlance();
            }
        }

        @Override
        boolean isOvertaken() {
            return mistake != Mistake.FORGETS_OVERTAKEN && super.isOvertaken();
        }
    }

    private final class PlantedCommit extends HeapCommit {
        @Override
        boolean isCurrent(HeapWriter writer) {
            Runnable action = afterVersion;
            if (action != null) {
                afterVersion = null;
                action.run();
            }
            return mistake == Mistake.NO_VALIDATION || super.isCurrent(writer);
        }

        @Override
        void saveOldBytes(HeapState heap, HeapWriter writer, long version) {
            if (mistake != Mistake.HISTORY_AFTER_STORE) {
                super.saveOldBytes(heap, writer, version);
            }
        }

        @Override
        void storeDurably(HeapWriter writer) {
            Runnable instead = inPlaceOfCommit;
            if (instead != null) {
                inPlaceOfCommit = null;
                instead.run();
                RuntimeException failure = new IllegalStateException("The pool can't commit.");
                writer.abortLane(failure);
                throw failure;
            }
            super.storeDurably(writer);
            Runnable action = afterStore;
            if (action != null) {
                afterStore = null;
                action.run();
            }
            if (mistake == Mistake.HISTORY_AFTER_STORE) {
                super.saveOldBytes(state, writer, state.clock.last());
            }
        }

        @Override
        void publish(HeapState heap, HeapWriter writer, long version, boolean stored) {
            if (mistake == Mistake.FREE_LEAVES_WORD) {
                publishLeavingFreed(heap, writer, version, stored);
            } else if (stored || mistake != Mistake.OLD_WORDS_AFTER_FAILURE) {
                super.publish(heap, writer, version, stored);
            }
        }

        private void publishLeavingFreed(
                HeapState heap, HeapWriter writer, long version, boolean stored) {
            Map<Integer, Long> before = new HashMap<>();
            for (int i = 0; i < writer.locked.size(); i++) {
                before.put(writer.locked.stripe(i), writer.locked.number(i));
            }
            super.publish(heap, writer, version, stored);
            for (int i = 0; i < writer.freed.size(); i++) {
                int stripe = Stripes.of(writer.freed.unit(i));
                heap.stripes.giveBack(stripe, before.get(stripe));
            }
        }
    }
}
