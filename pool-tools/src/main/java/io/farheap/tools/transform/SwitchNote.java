package io.farheap.tools.transform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.base.FarheapException;
import io.farheap.tools.command.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What is left to do once all new parts are complete, written durably beside the target poolset
 * file before any of it is done: whoever finds it can finish, whatever was done by then.
 *
 * @param source the text of the poolset file that was
 * @param target the text of the one that is to be
 * @param runId the pool's number when the new parts were copied
 * @param first files that are removed before anything takes their place: so that old and new parts
 *     never pass for one pool together
 * @param links header pages that get other links
 * @param moves new parts, in the order in which they take their places
 * @param sideFiles what lies beside the old master's first part and goes with the pool
 * @param last files that are removed when all else is done
 */
record SwitchNote(
        String source,
        String target,
        long runId,
        List<Old> first,
        List<Page> links,
        List<Move> moves,
        List<Move> sideFiles,
        List<Old> last) {
    private static final String NOTE = ".transforming";

    /**
     * A file that goes.
     *
     * @param inode which file it was: another one by that name is not touched
     */
    record Old(String path, long inode) {}

    /** A header page as it is to be. */
    record Page(String path, byte[] bytes) {}

    record Move(String from, String to) {}

    /** Where the note of a transformation to {@code poolset} is. */
    static Path beside(Path poolset) {
        Path absolute = poolset.toAbsolutePath();
        return absolute.resolveSibling(absolute.getFileName() + NOTE);
    }

    /** The note beside a poolset file; null where there is none. */
    static SwitchNote read(Path poolset) {
        Path note = beside(poolset);
        try {
            return Files.exists(note)
                    ? JsonMapper.builder().build().readValue(note.toFile(), SwitchNote.class)
                    : null;
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot read %s: %s", note, e.getMessage());
        }
    }

    /** All of it or nothing, durably. */
    void write(Path poolset) {
        Path note = beside(poolset);
        try {
            WholeFile.write(note, JsonMapper.builder().build().writeValueAsBytes(this));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a note can't be written as JSON", e);
        }
    }

    /** Done, or never begun. */
    static void delete(Path poolset) {
        WholeFile.delete(beside(poolset));
    }
}
