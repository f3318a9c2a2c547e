package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Whose a file is and who may open it. A part that is made anew gets what the pool's other parts
 * have: else a repair by root takes the pool away from the program that uses it.
 *
 * @param user the owner's number
 * @param group the group's number
 * @param mode permission bits
 */
public record Ownership(int user, int group, int mode) {
    private static final int PERMISSIONS = 0777;
    private static final int OWNER_ONLY = 0600;
    private static final int ROOT = 0;
    private static final Path THIS_PROCESS = Path.of("/proc/self");

    /**
     * What a file or directory has, links followed.
     *
     * @throws FarheapException ENVIRONMENT where it can't be told
     */
    public static Ownership of(Path file) {
        try {
            Map<String, Object> found = Files.readAttributes(file, "unix:uid,gid,mode");
            return new Ownership(
                    (int) found.get("uid"),
                    (int) found.get("gid"),
                    (int) found.get("mode") & PERMISSIONS);
        } catch (IOException e) {
            throw FileStatus.unreadable(file, e);
        }
    }

    /** What this process gives a file that nobody else is to open. */
    public static Ownership ofThisProcess() {
        Ownership process = of(THIS_PROCESS);
        return new Ownership(process.user, process.group, CreateOptions.DEFAULT_MODE);
    }

    /** Gives a file that this process made all of it; fails as {@link #giveOwnerTo} does. */
    public void giveTo(NativeFile file) {
        giveOwnerTo(file);
        file.setMode(mode);
    }

    /**
     * Gives a file that lies beside a pool's first part owner and group of that part, where this
     * process is root; nobody but the owner may open it.
     */
    public static void giveBeside(Path firstPart, NativeFile file) {
        if (ofThisProcess().user == ROOT && FileStatus.of(firstPart).exists()) {
            of(firstPart).giveOwnerTo(file);
        }
        file.setMode(OWNER_ONLY);
    }

    /**
     * Gives a file owner and group, and leaves its mode. Whoever makes a file does this before it
     * is filled, which may take long.
     *
     * @throws FarheapException ENVIRONMENT when the system refuses
     */
    void giveOwnerTo(NativeFile file) {
        Ownership own = of(file.asOpened());
        if (own.user == user && own.group == group) {
            return;
        }
        try {
            file.setOwner(user, group);
        } catch (FarheapException e) {
            throw FarheapException.environment(
                    e,
                    "%s; the pool's files are of user %s, group %s: give the command as"
                            + " that user, or as root",
                    e.getMessage(),
                    Integer.toUnsignedString(user),
                    Integer.toUnsignedString(group));
        }
    }
}
