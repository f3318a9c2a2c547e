package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The message of what Java throws may be the path alone, and is no reason. */
class UnreadableDirectoryTest {
    @TempDir private Path dir;

    private void says(IOException cause, String why) {
        assertThatThrownBy(
                        () -> {
                            throw FileStatus.unreadableDirectory(dir, cause);
                        })
                .isInstanceOf(FarheapException.class)
                .hasMessage("cannot read the directory " + dir + ": " + why);
    }

    @Test
    void theReasonIsSaidAndWhatToDo() {
        String name = dir.toString();
        says(
                new AccessDeniedException(name),
                "Permission denied; give this user the permission, or take the user who has it");
        says(
                new FileSystemException(name, null, "Input/output error"),
                "Input/output error; mend that and try again");
        says(new IOException("it is wet"), "it is wet; mend that and try again");
    }

    @Test
    void filesBesideAPoolAreLookedForInADirectory() throws IOException {
        Path none = Files.createFile(dir.resolve("none"));
        assertThatThrownBy(() -> new SideFiles(none.resolve("pool")).dirtyMaps())
                .hasMessage("cannot read the directory " + none + ": Not a directory; name one");
        assertThatThrownBy(() -> new SideFiles(dir.resolve("gone/pool")).dirtyMaps())
                .hasMessageContaining("/gone: No such file or directory; look whether");
    }
}
