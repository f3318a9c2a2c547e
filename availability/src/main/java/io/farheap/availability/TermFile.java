package io.farheap.availability;

import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.base.FarheapException;
import io.farheap.pool.SideFiles;
import io.farheap.replication.journal.KeptTerm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What a node keeps beside the first part of its copy: the highest term that it has written in, the
 * number that its own copy was prepared for, and the newest stamp of the store that it has seen
 * (docs/high-availability.md#the-term-file).
 *
 * <pre>
 *   {"format":1,"term":7,"current":1230,"next":1234,"store":"…","revision":55,
 *    "record":{"id":4711,"term":7}}
 * </pre>
 *
 * <p>Replaced as a whole, by a file that is synced and renamed: each change is one step, durable
 * when its call returns. For one process, and one thread at a time: what another process has
 * written since is not replaced, for this one's turn is over then.
 */
final class TermFile implements SeenStamps {
    private final Path firstPart;
    private KeptTerm kept;

    private TermFile(Path firstPart, KeptTerm kept) {
        this.firstPart = firstPart;
        this.kept = kept;
    }

    /**
     * @param firstPart of the node's copy
     * @throws FarheapException category BAD_DATA when it can't be read: then this node must not
     *     write until a person has looked
     */
    static TermFile beside(Path firstPart) {
        return new TermFile(firstPart, KeptTerm.beside(firstPart));
    }

    /** The highest term that this node has written in; 0: none. */
    long term() {
        return kept.term();
    }

    /** Of the record that the term is of; 0: not known. */
    long recordId() {
        return kept.recordId();
    }

    /**
     * What the own copy was prepared for.
     *
     * @param current its number now: another one's files say nothing of what was prepared
     * @return 0: nothing
     */
    long nextOf(long current) {
        return kept.current() == current ? kept.next() : 0;
    }

    /**
     * Durable on return; a lower one of the same record changes nothing.
     *
     * @param recordId that the term is of; 0: not known
     */
    void raise(long term, long recordId) {
        boolean another = recordId != 0 && recordId != kept.recordId();
        if (another || term > kept.term()) {
            change(known -> known.raised(term, recordId));
        }
    }

    /** The own copy has the content of that number, too; durable on return. */
    void prepare(long current, long next) {
        change(known -> known.prepared(current, next));
    }

    @Override
    public Optional<StoreStamp> newest() {
        return Optional.ofNullable(kept.store())
                .map(store -> new StoreStamp(store, kept.revision()));
    }

    @Override
    public void keep(StoreStamp stamp) {
        change(known -> known.seen(stamp.identity(), stamp.revision()));
    }

    private void change(UnaryOperator<KeptTerm> change) {
        requireNobodyElse();
        write(change.apply(kept));
    }

    /**
     * Beside a link, too: that side is what builds before this one read, and what stays where a new
     * file takes the link's place.
     */
    private void write(KeptTerm next) {
        List<Path> places = new SideFiles(firstPart).terms();
        if (kept.recordId() != 0 && kept.recordId() != next.recordId()) {
            places.stream().skip(1).forEach(TermFile::remove); // never two records, after a crash
        }
        for (Path file : places) {
            Path written = file.resolveSibling(file.getFileName() + ".new");
            try {
                store(written, next);
                sync(Files.move(written, file, StandardCopyOption.ATOMIC_MOVE).toAbsolutePath());
            } catch (IOException e) {
                throw FarheapException.environment(e, "%s can't be written: %s", file, e);
            }
            kept = next; // the first counts, whatever becomes of the other
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
            sync(file.toAbsolutePath());
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s can't be written anew: %s", file, e);
        }
    }

    /**
     * A process that was stopped in its turn for long knows an older term, and not what the copy
     * was prepared for since: what a later turn of its node has written must outlive it.
     */
    private void requireNobodyElse() {
        KeptTerm now = KeptTerm.beside(firstPart);
        if (now.equals(kept) || now.equals(KeptTerm.NONE)) {
            return; // what was taken away is written again
        }
        boolean hasWritten = now.term() != 0 || now.current() != 0 || now.next() != 0;
        if (hasWritten || !kept.equals(KeptTerm.NONE)) {
            throw FarheapException.replica(
                    "another process of this node has written %s since this one read it, in term %d:"
                            + " this one's turn is over; if no program of this node writes, see"
                            + " what has changed the file",
                    new SideFiles(firstPart).term(), now.term());
        }
        kept = now; // who only waits has begun it
    }

    private static void store(Path written, KeptTerm term) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        written,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(term.encode());
            while (bytes.hasRemaining()) {
                int unused = channel.write(bytes);
            }
            channel.force(true);
        }
    }

    private static void sync(Path entry) throws IOException {
        try (FileChannel directory = FileChannel.open(entry.getParent())) {
            directory.force(true);
        }
    }

    /**
     * Makes the file of a node that has a copy and has written nothing yet, durably: by the stamp
     * it tells another store from this one. Where there is a file, that stays as it is, whoever
     * makes it at the same time.
     */
    static void begin(Path firstPart, StoreStamp stamp) {
        SideFiles side = new SideFiles(firstPart);
        if (side.terms().stream().anyMatch(Files::exists) || !Files.exists(firstPart)) {
            return;
        }
        Path file = side.term();
        try {
            Path written =
                    Files.createTempFile(
                            file.toAbsolutePath().getParent(), file.getFileName() + ".new-", "");
            try {
                store(written, new KeptTerm(0, 0, 0, stamp.identity(), stamp.revision()));
                sync(Files.createLink(file, written).toAbsolutePath());
            } catch (FileAlreadyExistsException e) {
                // made meanwhile: that counts
            } finally {
                boolean unused = Files.deleteIfExists(written);
            }
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s can't be made: %s", file, e);
        }
    }
}
