package io.farheap.tools;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.ObjectPool;
import io.farheap.poolset.PoolSetParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap create}. */
@Command(
        name = "create",
        description = {
            "Creates an empty pool.",
            "",
            "All parts and replicas of a poolset file, remote ones included, or one plain file."
        },
        mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
    private static final long DEFAULT_SIZE = 8L << 20;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "bytes of a plain file, with a unit such as 64M or 1GiB; default 8M")
    private Long size;

    @Option(
            names = {"-l", "--layout"},
            paramLabel = "NAME",
            defaultValue = "",
            description = "what programs must name to open the pool; default: empty")
    private String layout;

    @Parameters(paramLabel = "FILE", description = "a poolset file, or the pool file to be")
    private Path file;

    @Override
    public Integer call() throws IOException {
        if (Files.isRegularFile(file) && PoolSetParser.isPoolSet(file)) {
            if (size != null) {
                throw new FarheapException(
                        Category.WRONG_USE,
                        "-s|--size cannot be used with poolset file "
                                + file
                                + ": its part lines have the sizes");
            }
            ObjectPool.create(file, layout).close();
        } else if (size == null && file.toString().endsWith(".set") && !Files.exists(file)) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "there is no poolset file "
                            + file
                            + ": write it first; a plain pool of that name wants a size, -s 8M");
        } else {
            ObjectPool.create(file, layout, size == null ? DEFAULT_SIZE : size).close();
        }
        return ExitCode.OK;
    }
}
