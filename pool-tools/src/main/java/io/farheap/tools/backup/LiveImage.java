package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.live.LiveClient;
import io.farheap.live.LivePoint;
import io.farheap.live.LiveReceiver;
import io.farheap.memory.MappedImage;
import io.farheap.memory.NativeFile;
import io.farheap.pool.UnfinishedFiles;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.command.RunningPool;
import io.farheap.tools.report.Progress;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;

/**
 * A copy of a pool that a program has open, made by that program; in a file without a name, so that
 * whatever becomes of this process nothing of it is left. The program waits for nothing that is
 * done with it.
 */
public final class LiveImage implements PoolImage, LiveReceiver {
    private final NativeFile file;
    private final LongWork work;
    private Progress progress = Progress.NONE;
    private long size;
    private long reached;
    private byte[] header;
    private LivePoint point;

    private LiveImage(NativeFile file, LongWork work) {
        this.file = file;
        this.work = work;
    }

    /**
     * Has it made.
     *
     * @param pid the program's number
     * @param firstPart of the pool
     * @param place of a file that has a name for a moment only
     * @param work how fast it goes
     * @throws FarheapException ENVIRONMENT where the program can't or doesn't do it, or there is no
     *     room
     */
    public static LiveImage copy(long pid, Path firstPart, Path place, LongWork work)
            throws IOException, InterruptedException {
        UnfinishedFiles.removeLeftover(place);
        LiveImage image = new LiveImage(NativeFile.create(place), work);
        try (LiveClient client = LiveClient.connect(pid, "close the pool there first")) {
            boolean unused = NativeFile.delete(place);
            image.point = client.copy(RunningPool.poolId(firstPart), image);
            image.progress.complete();
            return image;
        } catch (Throwable e) {
            boolean unused = NativeFile.delete(place);
            image.close();
            throw e;
        } finally {
            image.progress.close();
        }
    }

    @Override
    public void begin(long imageBytes, MemorySegment poolHeader) {
        file.truncate(0);
        file.truncate(imageBytes);
        size = imageBytes;
        reached = 0;
        progress.close(); // of the smaller pool
        progress = work.begin("copying", imageBytes);
        header = poolHeader.toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void range(long offset, MemorySegment content) {
        if (offset < 0 || content.byteSize() > size - offset) {
            throw FarheapException.environment("the program sends what is not in its pool");
        }
        work.pacer().take(content.byteSize());
        file.write(content, offset);
        reached = Math.max(reached, offset + content.byteSize());
        progress.reached(reached);
    }

    /** For how long no commit could begin, at most. */
    public double heldMillis() {
        return point.heldNanos() / 1e6;
    }

    /** All of it, which must be closed before this. */
    public MappedImage map() {
        return MappedImage.map(
                List.of(new MappedImage.Share(file, 0, size)), MappedImage.Access.PRIVATE);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void read(long offset, byte[] to, int length) {
        long read = file.read(MemorySegment.ofArray(to).asSlice(0, length), offset);
        if (read < length) {
            throw FarheapException.environment("the copy of the open pool was cut off");
        }
    }

    @Override
    public byte[] poolHeader() {
        return header.clone();
    }

    @Override
    public long runId() {
        return point.runId();
    }

    @Override
    public long commits() {
        return point.commits();
    }

    @Override
    public BackupHeader.State state() {
        return BackupHeader.State.OPEN;
    }

    @Override
    public void close() {
        file.close();
    }
}
