package io.farheap.tools.command;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.pool.UnfinishedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** A small file that is there as a whole or not at all, whenever the machine stops. */
public final class WholeFile {
    private static final String UNFINISHED = ".farheap-unfinished";
    private static final int READABLE = 0666;

    private WholeFile() {}

    /** Writes it, durably; one that is there is replaced. On failure that one is as it was. */
    public static void write(Path file, byte[] bytes) {
        Path draft = file.resolveSibling(file.getFileName() + UNFINISHED);
        try (NativeFile out = NativeFile.openOrCreate(draft, READABLE)) {
            out.replace(bytes);
            out.sync();
            NativeFile.rename(draft, file);
        } catch (FarheapException e) {
            UnfinishedFiles.deleteAfter(draft, e);
            throw e;
        }
        NativeFile.syncDirectory(file.getParent());
    }

    /**
     * Writes a text that people make again and again; a file that is there and is no such text is
     * left alone: it may be one whose name was mistyped.
     *
     * @param begin what every such text begins with
     * @param what such a text is, for messages
     */
    public static void replaceOwn(Path file, String begin, String text, String what) {
        requireOwn(file, begin.getBytes(StandardCharsets.UTF_8), what);
        write(file.toAbsolutePath(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static void requireOwn(Path file, byte[] begin, String what) {
        byte[] found = new byte[begin.length];
        int length = 0;
        try (InputStream old = Files.newInputStream(file)) {
            length = old.readNBytes(found, 0, found.length);
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw FarheapException.environment(
                    "%s can't be read, and is not replaced: %s", file, e.getMessage());
        }
        if (length > 0 && !Arrays.equals(begin, found)) {
            throw FarheapException.wrongUse(
                    "%s has no %s, and is not replaced: name another file", file, what);
        }
    }

    /** Removes it, durably. */
    public static void delete(Path file) {
        if (NativeFile.delete(file)) {
            NativeFile.syncDirectory(file.getParent());
        }
    }
}
