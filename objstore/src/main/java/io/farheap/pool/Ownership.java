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
 * @param user the owner's number; {@link #AS_IT_IS} where the system has none
 * @param group the group's number; the same where the system has none, or does not tell
 * @param mode permission bits
 */
public record Ownership(int user, int group, int mode) {
    private static final int PERMISSIONS = 0777;
    private static final int OWNER_ONLY = 0600;
    private static final int ROOT = 0;

    /** As chown(2) has it: what it is now. */
    private static final int AS_IT_IS = -1;

    private static final Path THIS_PROCESS = Path.of("/proc/self");
    private static final Path HOME = Path.of(System.getProperty("user.home"));

    /**
     * What a file or directory has, links followed.
     *
     * @throws FarheapException ENVIRONMENT where it can't be told
     */
    public static Ownership of(Path file) {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return new Ownership(AS_IT_IS, AS_IT_IS, OWNER_ONLY);
        }
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
        if (!Files.exists(THIS_PROCESS)) {
            return new Ownership(of(HOME).user, AS_IT_IS, CreateOptions.DEFAULT_MODE);
        }
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

    private static boolean isSame(int found, int wanted) {
        return found == wanted || wanted == AS_IT_IS;
    }

    /**
     * Gives a file owner and group, and leaves its mode. Whoever makes a file does this before it
     * is filled, which may take long.
     *
     * @throws FarheapException ENVIRONMENT when the system refuses
     */
    void giveOwnerTo(NativeFile file) {
        Ownership own = of(file.asOpened());
        if (isSame(own.user, user) && isSame(own.group, group)) {
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
