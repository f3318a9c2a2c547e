package io.farheap.it.system;

import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.memory.NoPersistence;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Everything a pool holds, from its bytes alone: what must be equal in all copies of it.
 *
 * @param rootOffset the root object
 * @param rootSize as the descriptor says
 * @param blocks the block map, runs and their units included
 * @param objects all but log extensions, which are each copy's own
 * @param inconsistencies what the heap walk complains of
 */
public record PoolState(
        long rootOffset,
        long rootSize,
        List<HeapWalk.Block> blocks,
        List<ObjectState> objects,
        List<String> inconsistencies) {

    /** One object, with a checksum of all its usable bytes. */
    public record ObjectState(long offset, long type, long size, int checksum) {}

    /** Of a pool in one file, whoever has it open: it must stand still. */
    public static PoolState ofFile(Path part) {
        try (Arena arena = Arena.ofConfined();
                FileChannel file = FileChannel.open(part)) {
            return of(file.map(MapMode.READ_ONLY, 0, file.size(), arena));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Of a pool in one file with a disk journal, whoever has it open, as a recovery now would have
     * it: it must stand still.
     */
    public static PoolState ofJournaled(Path part) {
        try {
            Path directory = Files.createTempDirectory(part.getParent(), "recovered");
            Path copy = directory.resolve(part.getFileName());
            // The journal first: a checkpoint may come in between, and the ring keeps what it had.
            Files.copy(new SideFiles(part).diskJournal(), new SideFiles(copy).diskJournal());
            Files.copy(part, copy);
            PoolFiles.open(PoolSource.of(copy)).close();
            PoolState found = ofFile(copy);
            Files.delete(new SideFiles(copy).diskJournal());
            Files.delete(copy);
            Files.delete(directory);
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number of a pool in one file, its run_id, whoever has it open. */
    public static long numberOf(Path part) {
        try (Arena arena = Arena.ofConfined();
                FileChannel file = FileChannel.open(part)) {
            MemorySegment image = file.map(MapMode.READ_ONLY, 0, Descriptor.END, arena);
            return new Descriptor(new PoolMemory(image, new NoPersistence())).runId();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of each local copy of a pool that nobody has open. */
    public static List<PoolState> ofLocalCopies(Path set) {
        try (PoolFiles files = PoolFiles.openPrivate(PoolSource.of(set), null)) {
            return files.localImages().stream().map(PoolState::of).toList();
        }
    }

    private static PoolState of(MemorySegment image) {
        Descriptor descriptor = new Descriptor(new PoolMemory(image, new NoPersistence()));
        List<HeapWalk.Block> blocks = new ArrayList<>();
        List<ObjectState> objects = new ArrayList<>();
        List<String> inconsistencies = new ArrayList<>();
        HeapWalk.walk(
                image,
                descriptor.heapOffset(),
                descriptor.heapSize(),
                new HeapWalk.Visitor() {
                    @Override
                    public void block(HeapWalk.Block block) {
                        blocks.add(block);
                    }

                    @Override
                    public void object(HeapWalk.HeapObject object) {
                        if (!object.internal() || object.userOffset() == descriptor.rootOffset()) {
                            objects.add(state(image, object));
                        }
                    }

                    @Override
                    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                        inconsistencies.add(inconsistency.message());
                    }
                });
        return new PoolState(
                descriptor.rootOffset(), descriptor.rootSize(), blocks, objects, inconsistencies);
    }

    private static ObjectState state(MemorySegment image, HeapWalk.HeapObject object) {
        CRC32C crc = new CRC32C();
        crc.update(image.asSlice(object.userOffset(), object.usableSize()).asByteBuffer());
        return new ObjectState(
                object.userOffset(),
                object.typeNumber(),
                object.usableSize(),
                (int) crc.getValue());
    }

    /** The same without the block map, in which log extensions show. */
    public PoolState withoutBlocks() {
        return new PoolState(rootOffset, rootSize, List.of(), objects, inconsistencies);
    }
}
