package io.farheap.replication.session;

import io.farheap.layout.PoolHeader;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * How a reached replica's image becomes what the pool's is: as a whole, where its tail touched it,
 * or where it differs. The steps of the switch that are words alone are the {@link
 * ReplicaSession}'s, pieces on their way the {@link ImageClient}'s.
 */
public final class MemberImage {
    private final ReplicaSession session;

    MemberImage(ReplicaSession session) {
        this.session = session;
    }

    /**
     * The local content of everything the tail's records touched, which may have been rolled back
     * here (docs/protocol.md#footprint), or of all where that is not all that may differ.
     */
    public void reconcile(MemorySegment image) {
        eachFootprintPage(
                image.byteSize(),
                ranges -> {
                    session.images()
                            .put(image, ranges.stream().filter(range -> !isLong(range)).toList());
                    putWhatDiffers(image, ranges.stream().filter(MemberImage::isLong).toList());
                });
    }

    /** What one record touches at a place is sent as it is. */
    private static boolean isLong(ByteRange range) {
        return range.length() > ImageClient.COMPARED;
    }

    /**
     * Adds what the tail's records touched: some of them may have been rolled back here. No map has
     * those places, for it has what the pool committed (docs/protocol.md#map-with-tail).
     */
    public void addFootprint(RegionSet regions, long imageBytes) {
        eachFootprintPage(
                imageBytes,
                ranges -> ranges.forEach(range -> regions.mark(range.offset(), range.length())));
    }

    /** What the tail's records touch. */
    public List<ByteRange> footprint(long imageBytes) {
        List<ByteRange> all = new ArrayList<>();
        eachFootprintPage(imageBytes, all::addAll);
        return all;
    }

    private void eachFootprintPage(long imageBytes, Consumer<List<ByteRange>> use) {
        long from = 0;
        long end = PoolHeader.SIZE;
        Reply.FootprintPage page;
        do {
            page =
                    session.control()
                            .call(
                                    new Request.Footprint(from, Limits.MAX_RANGES),
                                    Reply.FootprintPage.class);
            for (ByteRange range : page.ranges()) {
                // ascending, so that there is an end to them
                if (range.offset() < end
                        || range.length() > imageBytes
                        || range.offset() > imageBytes - range.length()) {
                    throw session.fault(
                            "its tail touches " + range + ", out of order or outside of the pool");
                }
                end = range.offset() + range.length();
            }
            use.accept(page.ranges());
            from += page.ranges().size();
        } while (!page.last());
    }

    /** The whole image. */
    public void copyAll(ReplicatedPool pool, AttachOptions options) {
        long total = pool.image().byteSize();
        session.images()
                .putAll(
                        pool::read,
                        SharedBytes.of(total),
                        session.verdict().created(),
                        options.verify(),
                        end -> options.progress().copied(session.replica(), end, total));
    }

    /** Compares the two images where they must be equal. */
    public void verify(MemorySegment image, List<ByteRange> ranges) {
        for (ByteRange range : ranges) {
            long offset = range.offset();
            CompletableFuture<int[]> here =
                    CompletableFuture.supplyAsync(
                            () ->
                                    ImageSums.of(
                                            image, offset, range.length(), ImageClient.COMPARED));
            int[] there = session.images().sums(offset, range.length(), ImageClient.COMPARED);
            int differs = Arrays.mismatch(here.join(), there);
            if (differs >= 0) {
                throw session.images().differs(offset + differs * ImageClient.COMPARED);
            }
        }
    }

    /** What of these ranges is not the same there, by checksums of pieces. */
    public void putWhatDiffers(MemorySegment image, List<ByteRange> ranges) {
        for (ByteRange range : ranges) {
            long end = range.offset() + range.length();
            for (long at = range.offset(); at < end; at += ImageClient.COMPARED) {
                long length = Math.min(ImageClient.COMPARED, end - at);
                int[] there = session.images().sums(at, length, ReplicaSession.COMPARED_BYTES);
                int[] here = ImageSums.of(image, at, length, ReplicaSession.COMPARED_BYTES);
                session.images()
                        .put(
                                image,
                                ImageSums.differing(
                                        here, there, at, length, ReplicaSession.COMPARED_BYTES));
            }
        }
    }
}
