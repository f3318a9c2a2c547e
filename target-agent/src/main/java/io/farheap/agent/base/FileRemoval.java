package io.farheap.agent.base;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.replication.control.Reply.Code;
import java.nio.file.Path;

/** Deletes one file of the target that must be there. */
public final class FileRemoval {
    private FileRemoval() {}

    /**
     * Deletes it.
     *
     * @throws Refusal NOT_FOUND when it is gone already, ACCESS when the system refuses
     */
    public static void delete(Path file) {
        try {
            if (!NativeFile.delete(file)) {
                throw new Refusal(Code.NOT_FOUND, file + " is gone already.", "");
            }
        } catch (FarheapException e) {
            throw e instanceof Refusal
                    ? e
                    : new Refusal(Code.ACCESS, e.getMessage() + ".", "Mend that on the target.", e);
        }
    }
}
