package io.farheap.tools.verify;

import io.farheap.base.FarheapException;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.session.SharedBytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;

/**
 * Compares copies with one of them, the reference, by checksums: of pages, where these differ of
 * cache lines, and at both ends of what differs of words. So no byte of any copy travels. For one
 * thread.
 */
final class Comparison {
    static final int PAGE = 4096;

    private static final long WINDOW = 16 << 20;

    /** Where there is a limit: shorter pauses between shorter bursts. */
    private static final long PACED_WINDOW = 1 << 20;

    private static final int LINE = 64;
    private static final int WORD = 8;

    private final Copy reference;
    private final Meaningful meaningful;
    private final List<ComparedCopy> others;
    private final LongConsumer progress;

    /**
     * @param progress told of each so many bytes of one copy
     */
    Comparison(
            Copy reference,
            Meaningful meaningful,
            List<ComparedCopy> others,
            LongConsumer progress) {
        this.reference = reference;
        this.meaningful = meaningful;
        this.others = others;
        this.progress = progress;
    }

    /**
     * Compares so many bytes of the images, what is each copy's own left out. A copy that is lost
     * meanwhile is said to be, and the others are compared.
     *
     * @param pacer of the bytes, which are read of all copies
     * @throws LostReferenceException when it is the reference: then nothing is known of any copy
     */
    void run(long imageBytes, Pacer pacer) {
        long most = pacer.isUnlimited() ? WINDOW : PACED_WINDOW;
        for (ByteRange range : SharedBytes.of(imageBytes)) {
            long end = range.offset() + range.length();
            for (long at = range.offset(); at < end; at += most) {
                long length = Math.min(most, end - at);
                pacer.take(length);
                window(at, length);
            }
        }
    }

    /** No other copy can be compared with it any more. */
    static final class LostReferenceException extends RuntimeException {
        private static final long serialVersionUID = 1;

        LostReferenceException(FarheapException why) {
            super(why.getMessage(), why);
        }
    }

    private void window(long from, long length) {
        List<ComparedCopy> unknown =
                others.stream()
                        .filter(other -> !other.isLost())
                        .filter(other -> !reference.isSame(other.copy(), from, length))
                        .toList();
        if (!unknown.isEmpty()) {
            // Each copy is summed where it is: they need not wait for each other.
            CompletableFuture<int[]> right =
                    CompletableFuture.supplyAsync(() -> ofReference(from, length, PAGE));
            for (ComparedCopy other : unknown) {
                try {
                    window(other, right, from, length);
                } catch (FarheapException e) {
                    other.lost(e.getMessage());
                }
            }
            int[] unused = of(right); // nobody asks the reference twice at a time
        }
        progress.accept(length * others.size());
    }

    private static int[] of(CompletableFuture<int[]> sums) {
        try {
            return sums.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LostReferenceException lost) {
                throw lost;
            }
            throw e;
        }
    }

    private void window(
            ComparedCopy other, CompletableFuture<int[]> ofReference, long from, long length) {
        int[] found = other.copy().sums(from, length, PAGE);
        int[] right = of(ofReference);
        for (int i = 0; i < right.length; i++) {
            if (right[i] != found[i]) {
                long at = from + (long) i * PAGE;
                page(other, at, Math.min(PAGE, from + length - at));
            }
        }
    }

    private void page(ComparedCopy other, long from, long length) {
        other.pageDiffers();
        if (!other.hasSameCommits()) {
            return;
        }
        int[] right = ofReference(from, length, LINE);
        int[] found = other.copy().sums(from, length, LINE);
        for (int line = 0; line < right.length; line++) {
            if (differ(right, found, line)) {
                long at = from + (long) line * LINE;
                long bytes = Math.min(LINE, from + length - at);
                boolean inner = differ(right, found, line - 1) && differ(right, found, line + 1);
                line(other, at, bytes, found[line], inner);
            }
        }
    }

    private static boolean differ(int[] right, int[] found, int line) {
        return line >= 0 && line < right.length && right[line] != found[line];
    }

    /**
     * @param sum what the other copy holds there
     * @param inner its neighbours differ, too
     */
    private void line(ComparedCopy other, long from, long length, int sum, boolean inner) {
        long end = from + length;
        long run = from;
        while (run < end) {
            Kind kind = kind(other, run);
            long next = run + WORD;
            while (next < end && kind(other, next) == kind) {
                next += WORD;
            }
            if (kind != Kind.FREE) {
                if (run == from && next == end) {
                    differs(other, kind, run, length, sum, inner);
                } else {
                    run(other, kind, run, next - run);
                }
            }
            run = next;
        }
    }

    /** Bytes of a line of which others mean something else. */
    private void run(ComparedCopy other, Kind kind, long from, long length) {
        int found = sum(other, from, length);
        if (ofReference(from, length, LINE)[0] != found) {
            differs(other, kind, from, length, found, false);
        }
    }

    /**
     * @param inner what is around it differs, too: not every word of it needs to be looked at
     */
    private void differs(
            ComparedCopy other, Kind kind, long from, long length, int sum, boolean inner) {
        if (kind == Kind.SETTLED) {
            other.holds(from, sum);
        }
        if (inner || !other.isExact()) {
            other.differs(from, length);
            return;
        }
        for (long at = from; at < from + length; at += WORD) {
            if (ofReference(at, WORD, LINE)[0] != sum(other, at, WORD)) {
                other.differs(at, WORD);
            }
        }
    }

    private enum Kind {
        FREE,
        UNSETTLED,
        SETTLED
    }

    private Kind kind(ComparedCopy other, long word) {
        return !isUsed(word) ? Kind.FREE : other.isUnsettled(word) ? Kind.UNSETTLED : Kind.SETTLED;
    }

    /** What the reference's metadata don't tell is no fault of the other copy. */
    private boolean isUsed(long word) {
        try {
            return meaningful.isUsed(word);
        } catch (FarheapException e) {
            throw new LostReferenceException(e);
        }
    }

    /**
     * @param length at most a line
     */
    private static int sum(ComparedCopy other, long from, long length) {
        return other.copy().sums(from, length, LINE)[0];
    }

    private int[] ofReference(long from, long length, long chunk) {
        try {
            return reference.sums(from, length, chunk);
        } catch (FarheapException e) {
            throw new LostReferenceException(e);
        }
    }
}
