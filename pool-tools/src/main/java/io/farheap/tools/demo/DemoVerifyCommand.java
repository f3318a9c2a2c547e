package io.farheap.tools.demo;

import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reopens the demo's pool and compares it with the data set. */
@Command(name = "verify", hidden = true, description = "Compares a pool with the demo's data set.")
final class DemoVerifyCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SET")
    private Path set;

    @Option(names = "--acknowledged", required = true, description = "transactions that returned")
    private int acknowledged;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        try (CharacterPool characters = CharacterPool.open(set)) {
            DemoResult result = DemoResult.of(characters, acknowledged);
            spec.commandLine().getOut().println(result.summary());
            if (!result.problems().isEmpty()) {
                throw FarheapException.badData("%s: %s", set, String.join("; ", result.problems()));
            }
        }
        return 0;
    }
}
