package io.farheap.tools.command;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How it is shown how far long work is, where the user has said that. */
enum ProgressStyle {
    LINES,
    JSON,
    NONE;

    /** By the name in lower case. */
    static final class Converter implements ITypeConverter<ProgressStyle> {
        @Override
        public ProgressStyle convert(String text) {
            for (ProgressStyle style : values()) {
                if (style.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return style;
                }
            }
            throw new TypeConversionException("'" + text + "' is none of lines, json and none");
        }
    }
}
