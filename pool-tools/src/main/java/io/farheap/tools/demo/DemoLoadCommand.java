package io.farheap.tools.demo;

import io.farheap.tools.demo.UnicodeCharacters.Entry;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The process that the demo kills: prints a column's number once its transaction returned. */
@Command(name = "load", hidden = true, description = "Loads the demo's data set into a new pool.")
final class DemoLoadCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SET")
    private Path set;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter acknowledgements = spec.commandLine().getOut();
        try (CharacterPool characters = CharacterPool.open(set)) {
            int column = 0;
            for (List<Entry> entries : UnicodeCharacters.columns()) {
                characters.add(entries);
                acknowledgements.println(++column);
            }
        }
        return 0;
    }
}
