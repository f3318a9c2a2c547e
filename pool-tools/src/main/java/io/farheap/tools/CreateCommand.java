package io.farheap.tools;

import io.farheap.ObjectPool;
import io.farheap.PoolBuilder;
import io.farheap.PoolOptions;
import io.farheap.PoolOptionsBuilder;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.layout.Descriptor;
import io.farheap.pool.Journaling;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSetParser;
import io.farheap.poolset.PoolSetRules;
import io.farheap.tools.command.Interruption;
import io.farheap.tools.command.SizeConverter;
import io.farheap.tools.destruction.ConsentToLoss;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code farheap create}. */
@Command(
        name = "create",
        description = {
            "Creates an empty pool.",
            "",
            "All parts and replicas of a poolset file, remote ones included, or one plain file. On"
                    + " failure what was made is removed, here and on targets; what can't be"
                    + " removed is named.",
            "",
            "On an ordinary disk, a file PART0.disk-journal lies beside the first part of each local"
                    + " replica, unless FARHEAP_DURABILITY=pages is in the environment; then a"
                    + " program that opens the pool without that makes it. While the pool is open,"
                    + " or after a crash, it may have the only copy of the newest commits: it goes"
                    + " along with the part files wherever they go. Once the pool is closed it may"
                    + " be deleted."
        },
        footer = {
            "",
            "Examples:",
            "  farheap create -l bank bank.set      # what the poolset file names",
            "  farheap create -s 1G -m 660 a.pool   # a plain pool of 1 GiB for a group",
            "  farheap create -i old.pool new.pool  # as large as another, with its layout",
            "  farheap create -M a.pool             # all that is free on the file system"
        },
        mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
    private static final long DEFAULT_SIZE = 8L << 20;
    private static final long PAGE = 4096;
    private static final int MOST_MODE = 0777;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "bytes of a plain file, with a unit such as 64M or 1GiB; default 8M")
    private Long size;

    @Option(
            names = {"-M", "--max-size"},
            description =
                    "a plain file of all that is free on its file system, but for the disk journal"
                            + " of a pool that gets one")
    private boolean maxSize;

    @Option(
            names = {"-m", "--mode"},
            paramLabel = "OCTAL",
            description = "permissions of new files; default 600 (pmempool: 664)")
    private String mode;

    @Option(
            names = {"-l", "--layout"},
            paramLabel = "NAME",
            description = "what programs must name to open the pool; default: empty")
    private String layout;

    @Option(
            names = "--journal-size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "make a disk journal of this size, 2M to 16G, whatever FARHEAP_DURABILITY"
                            + " says; programs that use one keep to it. Usual: a quarter of the"
                            + " pool's size within 2M to 256M")
    private Long journalSize;

    @Option(
            names = {"-i", "--inherit"},
            paramLabel = "POOL",
            description = "take size and layout from another pool where they are not given")
    private Path inherit;

    @Option(
            names = {"-f", "--force"},
            description =
                    "remove a pool that is there first, with all its parts and replicas, after a"
                            + " question as that of rm")
    private boolean force;

    @Option(
            names = {"-v", "--verbose"},
            description = "say what was made")
    private boolean verbose;

    @Mixin private ConsentToLoss consent;

    @Mixin private Output output;

    @Parameters(
            arity = "1..2",
            paramLabel = "[obj] FILE",
            description = "a poolset file, or the pool file to be; the type may stand before it")
    private List<String> words;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Path file = file();
        boolean set = Files.isRegularFile(file) && PoolSetParser.isPoolSet(file);
        requireFitting(file, set);
        int bits = bits();
        long bytes = 0;
        String name = layout == null ? "" : layout;
        if (inherit != null) {
            try (PoolFiles other = PoolFiles.openPrivate(PoolSource.of(inherit), null)) {
                name = layout == null ? new Descriptor(other.memory()).layout() : layout;
                bytes = set ? 0 : other.poolSet().poolSize();
            }
        }
        PoolOptions options = options(bits);
        ReplacedPool old = new ReplacedPool(file);
        if (force && Files.exists(file)) {
            Descriptor.encodeLayout(name); // what refuses it anyway does so before
            BegunPool unused = BegunPool.of(file, set);
            old.remove(set ? 0 : maxSize ? -1 : bytes(file, bytes, options), consent, output);
        }
        BegunPool begun = BegunPool.of(file, set);
        try (Interruption meanwhile = Interruption.says(() -> old.ended(begun))) {
            create(
                    set
                            ? ObjectPool.at(file)
                            : ObjectPool.at(file).size(bytes(file, bytes, options)),
                    name,
                    options);
        } catch (FarheapException e) {
            throw old.after(e, begun);
        }
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line("file", file.toString());
                report.line("layout", name);
                report.line("bytes", PoolSource.of(file).existing().poolSize());
            }
        } else if (verbose) {
            output.say(file + ": created");
        }
        return ExitCode.OK;
    }

    private static void create(PoolBuilder builder, String name, PoolOptions options) {
        try {
            builder.layout(name).options(options).createClosed();
        } catch (FarheapException e) {
            String left =
                    besides(e)
                            .map(Throwable::getMessage)
                            .distinct()
                            .map(one -> "; " + one)
                            .collect(Collectors.joining());
            throw left.isEmpty() ? e : new FarheapException(e.category(), e.getMessage() + left, e);
        }
    }

    /** What went wrong after that, as the removal of a file. */
    private static Stream<Throwable> besides(Throwable failure) {
        Stream<Throwable> here =
                Stream.of(failure.getSuppressed())
                        .filter(FarheapException.class::isInstance)
                        .flatMap(one -> Stream.concat(Stream.of(one), besides(one)));
        return failure.getCause() instanceof FarheapException cause
                ? Stream.concat(here, besides(cause))
                : here;
    }

    private Path file() {
        if (words.size() > 2) {
            throw wrongArguments(
                    "one pool is created, and " + words.size() + " words name it: " + words);
        }
        if (words.equals(List.of("obj"))) {
            throw wrongArguments("after the type obj the file is missing (a file obj: ./obj)");
        }
        String type = words.size() == 2 ? words.get(0) : "obj";
        if (!type.equals("obj")) {
            throw FarheapException.wrongUse(
                    "'%s' -- unknown pool type: farheap makes pools of type obj", type);
        }
        try {
            return new PathConverter().convert(words.get(words.size() - 1));
        } catch (TypeConversionException e) {
            throw wrongArguments(e.getMessage());
        }
    }

    private ParameterException wrongArguments(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    private PoolOptions options(int bits) {
        PoolOptionsBuilder options = PoolOptions.builder().mode(bits);
        if (journalSize != null) {
            options.persistence(PersistenceDomain.JOURNAL).journalBytes(journalSize);
        }
        return options.build();
    }

    private void requireFitting(Path file, boolean set) {
        if (set && (size != null || maxSize)) {
            throw FarheapException.wrongUse(
                    "%s cannot be used with poolset file %s: its part lines have the sizes",
                    size != null ? "-s|--size" : "-M|--max-size", file);
        }
        if (size != null && maxSize) {
            throw FarheapException.wrongUse("-M cannot be used with -s");
        }
        if (size != null && size < PoolSetRules.MIN_POOL_BYTES) { // before an old pool goes
            throw FarheapException.wrongUse(
                    "%s: size %s smaller than %s: a pool needs 8 MiB at least",
                    file, size, PoolSetRules.MIN_POOL_BYTES);
        }
        boolean sized = size != null || maxSize || inherit != null;
        if (!sized && file.toString().endsWith(".set") && !Files.exists(file)) {
            throw FarheapException.environment(
                    "there is no poolset file %s: write it first; a plain pool of that"
                            + " name wants a size, -s 8M",
                    file);
        }
    }

    private int bits() {
        if (mode == null) {
            return PoolOptions.defaults().mode();
        }
        if (!mode.matches("[0-7]{1,4}") || Integer.parseInt(mode, 8) > MOST_MODE) {
            throw FarheapException.wrongUse("-m: '%s' is no mode: write it as 640", mode);
        }
        return Integer.parseInt(mode, 8);
    }

    private long bytes(Path file, long inherited, PoolOptions options) throws IOException {
        if (size != null) {
            return size;
        }
        if (maxSize) {
            Path directory = file.toAbsolutePath().getParent();
            long room = Files.getFileStore(directory).getUsableSpace();
            return Journaling.of(options.persistence(), options.journal(), System.getenv())
                            .mostPoolBytes(directory, room)
                    & -PAGE;
        }
        return inherited == 0 ? DEFAULT_SIZE : inherited;
    }
}
