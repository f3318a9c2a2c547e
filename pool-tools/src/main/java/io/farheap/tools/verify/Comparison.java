package io.farheap.tools.verify;

import io.farheap.replication.SharedBytes;
import io.farheap.replication.control.ByteRange;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Compares copies with one of them, the reference, by checksums: of pages, where these differ of
 * cache lines, and at both ends of what differs of words. So no byte of any copy travels. For one
 * thread.
 */
final class Comparison {
    static final int PAGE = 4096;

    private static final long WINDOW = 16 << 20;
    private static final int LINE = 64;
    private static final int WORD = 8;
    private static final int WORDS = LINE / WORD;

    private final Copy reference;
    private final Meaningful meaningful;
    private final List<Against> others;
    private final LongConsumer progress;

    /**
     * @param progress told of each so many bytes of one copy
     */
    Comparison(Copy reference, Meaningful meaningful, List<Against> others, LongConsumer progress) {
        this.reference = reference;
        this.meaningful = meaningful;
        this.others = others;
        this.progress = progress;
    }

    /** Compares so many bytes of the images, what is each copy's own left out. */
    void run(long imageBytes) {
        for (ByteRange range : SharedBytes.of(imageBytes)) {
            long end = range.offset() + range.length();
            for (long at = range.offset(); at < end; at += WINDOW) {
                window(at, Math.min(WINDOW, end - at));
            }
        }
    }

    private void window(long from, long length) {
        int[] right = reference.sums(from, length, PAGE);
        for (Against other : others) {
            int[] found = other.copy().sums(from, length, PAGE);
            for (int i = 0; i < right.length; i++) {
                if (right[i] != found[i]) {
                    long at = from + (long) i * PAGE;
                    page(other, at, Math.min(PAGE, from + length - at));
                }
            }
            progress.accept(length);
        }
    }

    private void page(Against other, long from, long length) {
        other.pageDiffers();
        if (!other.hasSameCommits()) {
            return;
        }
        BitSet lines = differing(other.copy(), from, length, LINE);
        for (int line = lines.nextSetBit(0); line >= 0; line = lines.nextSetBit(line + 1)) {
            long at = from + (long) line * LINE;
            boolean inner = line > 0 && lines.get(line - 1) && lines.get(line + 1);
            line(other, at, Math.min(LINE, from + length - at), inner);
        }
    }

    /**
     * @param inner its neighbours differ, too
     */
    private void line(Against other, long from, long length, boolean inner) {
        BitSet words = new BitSet(WORDS);
        int count = (int) (length / WORD);
        for (int word = 0; word < count; word++) {
            words.set(word, meaningful.isUsed(from + (long) word * WORD));
        }
        boolean whole = words.cardinality() == count;
        boolean refine = other.isExact() && !(inner && whole);
        for (int word = words.nextSetBit(0); word >= 0; word = words.nextSetBit(word + 1)) {
            long at = from + (long) word * WORD;
            if (!refine || !differing(other.copy(), at, WORD, LINE).isEmpty()) {
                other.differs(at, WORD);
            }
        }
    }

    private BitSet differing(Copy copy, long from, long length, long chunk) {
        int[] right = reference.sums(from, length, chunk);
        int[] found = copy.sums(from, length, chunk);
        BitSet differing = new BitSet(right.length);
        for (int i = 0; i < right.length; i++) {
            differing.set(i, right[i] != found[i]);
        }
        return differing;
    }
}
