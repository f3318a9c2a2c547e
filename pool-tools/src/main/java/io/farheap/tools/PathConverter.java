package io.farheap.tools;

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
        return Path.of(text);
    }
}
