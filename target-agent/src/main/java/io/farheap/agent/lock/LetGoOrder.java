package io.farheap.agent.lock;

import io.farheap.agent.base.Refusal;
import io.farheap.replication.control.Reply.Code;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file beside a replica's lock, by which another process of this machine has an agent that
 * listens let go of that replica: the process itself serves others, and is not to be ended. Whoever
 * can make it could remove the replica as well. It is gone when it is heeded.
 */
final class LetGoOrder {
    private LetGoOrder() {}

    private static Path file(Path lock) {
        return lock.resolveSibling(lock.getFileName() + ".let-go");
    }

    /**
     * Gives it, if it is not given yet.
     *
     * @throws Refusal ACCESS when it can't be given
     */
    static void give(Path lock) {
        try {
            Path unused = Files.createFile(file(lock));
        } catch (FileAlreadyExistsException e) {
            return; // it will be heeded
        } catch (IOException e) {
            throw new Refusal(
                    Code.ACCESS,
                    "The agent that listens here can't be told to let go of the replica: "
                            + e
                            + ".",
                    "Mend that on the target, or stop it there (systemctl stop farheap-agent).",
                    e);
        }
    }

    /** Takes it back, or takes note of it. */
    static boolean take(Path lock) {
        try {
            return Files.deleteIfExists(file(lock));
        } catch (IOException e) {
            return true; // it is there, and stays
        }
    }
}
