package io.farheap.tools.info;

import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Takes the word behind an option only where it is a range: what follows may be the file. */
final class OptionalRanges implements IParameterConsumer {
    @Override
    @SuppressWarnings("JdkObsolete") // picocli's signature
    public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
        boolean range = !words.isEmpty() && NumberRanges.looksLike(words.peek());
        try {
            option.setValue(
                    range ? new NumberRanges.Converter().convert(words.pop()) : NumberRanges.ALL);
        } catch (TypeConversionException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }
}
