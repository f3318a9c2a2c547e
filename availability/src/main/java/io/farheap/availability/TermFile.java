package io.farheap.availability;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * What a node keeps beside the first part of its copy: the highest term that it has written in, the
 * number that its own copy was prepared for, and the newest stamp of the store that it has seen
 * (docs/high-availability.md#the-term-file).
 *
 * <pre>
 *   {"format":1,"term":7,"current":1230,"next":1234,"store":"…","revision":55}
 * </pre>
 *
 * <p>Replaced as a whole, by a file that is synced and renamed: each change is one step, durable
 * when its call returns. For one process, and one thread at a time.
 */
final class TermFile implements SeenStamps {
    private static final int FORMAT = 1;
    private static final long MOST_BYTES = 4096;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;
    private Kept kept;

    /**
     * @param seen null: none
     */
    private record Kept(long term, long current, long next, StoreStamp seen) {}

    private TermFile(Path file, Kept kept) {
        this.file = file;
        this.kept = kept;
    }

    /**
     * @param firstPart of the node's copy
     * @throws FarheapException category BAD_DATA when it can't be read: then this node must not
     *     write until a person has looked
     */
    static TermFile beside(Path firstPart) {
        Path file = firstPart.resolveSibling(firstPart.getFileName() + ".term");
        return new TermFile(file, read(file));
    }

    private static Kept read(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw damaged(file, null);
            }
            JsonNode object = JSON.readTree(Files.readAllBytes(file));
            if (object == null || number(object, "format") != FORMAT) {
                throw damaged(file, null);
            }
            JsonNode store = object.path("store");
            return new Kept(
                    number(object, "term"),
                    number(object, "current"),
                    number(object, "next"),
                    store.isTextual()
                            ? new StoreStamp(store.textValue(), number(object, "revision"))
                            : null);
        } catch (NoSuchFileException e) {
            return new Kept(0, 0, 0, null);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw damaged(file, e);
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s can't be read: %s", file, e);
        }
    }

    private static long number(JsonNode object, String field) {
        JsonNode value = object.path(field);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new IllegalArgumentException(field);
        }
        return value.longValue();
    }

    private static FarheapException damaged(Path file, Exception cause) {
        return FarheapException.badData(
                cause,
                "%s does not say what this node has written in: this node does not write until"
                        + " another one has taken over and the copy here was made anew",
                file);
    }

    /** The highest term that this node has written in; 0: none. */
    long term() {
        return kept.term();
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

    /** Durable on return; a lower one changes nothing. */
    void raise(long term) {
        if (term > kept.term()) {
            write(new Kept(term, kept.current(), kept.next(), kept.seen()));
        }
    }

    /** The own copy has the content of that number, too; durable on return. */
    void prepare(long current, long next) {
        write(new Kept(kept.term(), current, next, kept.seen()));
    }

    @Override
    public Optional<StoreStamp> newest() {
        return Optional.ofNullable(kept.seen());
    }

    @Override
    public void keep(StoreStamp stamp) {
        write(new Kept(kept.term(), kept.current(), kept.next(), stamp));
    }

    private void write(Kept next) {
        ObjectNode object = JSON.createObjectNode();
        object.put("format", FORMAT)
                .put("term", next.term())
                .put("current", next.current())
                .put("next", next.next());
        if (next.seen() != null) {
            object.put("store", next.seen().identity()).put("revision", next.seen().revision());
        }
        Path written = file.resolveSibling(file.getFileName() + ".new");
        try {
            try (FileChannel channel =
                    FileChannel.open(
                            written,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(object));
                while (bytes.hasRemaining()) {
                    int unused = channel.write(bytes);
                }
                channel.force(true);
            }
            Path moved = Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel directory = FileChannel.open(moved.toAbsolutePath().getParent())) {
                directory.force(true);
            }
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s can't be written: %s", file, e);
        }
        kept = next;
    }
}
