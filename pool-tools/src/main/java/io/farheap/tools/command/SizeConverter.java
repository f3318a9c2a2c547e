package io.farheap.tools.command;

import io.farheap.poolset.PartSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes on the command line are written as in a poolset file. */
public final class SizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        long bytes = PartSize.parse(text);
        if (bytes < 0) {
            throw new TypeConversionException(
                    "'" + text + "' is no size (a number with a unit, such as 64M or 1GiB)");
        }
        return bytes;
    }
}
