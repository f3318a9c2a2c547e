package io.farheap.tools;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Names of files. To the system the empty one is the current directory, to a user a slip. */
final class PathConverter implements ITypeConverter<Path> {
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
