package io.farheap.tools;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Names of files. To the system the empty one is the current directory, to a user a slip. */
final class PathConverter implements ITypeConverter<Path> {
    private static final char DELETE = 0x7f;

    /** Whether the word can be nothing but a name, and one without a mistake. */
    static boolean isPlainName(String word) {
        return !word.isEmpty()
                && word.charAt(0) != '-'
                && word.charAt(0) != '@'
                && word.chars()
                        .allMatch(letter -> letter > ' ' && letter < DELETE && letter != '"');
    }

    @Override
    public Path convert(String text) {
        if (text.isEmpty()) {
            throw new TypeConversionException("the name of a file is empty: give one");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException(
                    "the name of the file '"
                            + text
                            + "' has letters that the locale does not know: set LC_ALL=C.UTF-8");
        }
    }
}
