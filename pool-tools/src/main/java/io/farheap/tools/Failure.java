package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.poolset.PoolSetSyntaxException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A failed command as its user meets it: one sentence and an exit code. */
record Failure(int exitCode, String sentence, Throwable cause) {

    static Failure wrongUse(String sentence) {
        return new Failure(ExitCode.WRONG_USE, sentence, null);
    }

    static Failure of(Throwable thrown) {
        if (thrown instanceof FarheapException e) {
            return new Failure(ExitCode.of(e.category()), e.getMessage(), e);
        } else if (thrown instanceof PoolSetSyntaxException e) {
            return new Failure(ExitCode.BAD_DATA, e.getMessage(), e);
        } else if (thrown instanceof IOException e) {
            return new Failure(ExitCode.ENVIRONMENT, text(e), e);
        }
        return new Failure(
                ExitCode.BUG,
                "this is a fault of farheap itself, please report it: " + thrown,
                thrown);
    }

    private static String text(IOException e) {
        if (e instanceof NoSuchFileException missing) {
            return missing.getFile() + ": No such file or directory";
        } else if (e instanceof AccessDeniedException denied) {
            return denied.getFile() + ": Permission denied";
        } else if (e instanceof FileSystemException failed && failed.getReason() != null) {
            return failed.getFile() + ": " + failed.getReason();
        }
        return String.valueOf(e.getMessage());
    }

    /** Tells the user, and returns the exit code. */
    int report(PrintWriter err) {
        err.println("farheap: " + sentence.replaceAll("\\s*\\R\\s*", " "));
        if (cause != null && System.getenv("FARHEAP_TRACE") != null) {
            cause.printStackTrace(err);
        }
        err.flush();
        return exitCode;
    }
}
