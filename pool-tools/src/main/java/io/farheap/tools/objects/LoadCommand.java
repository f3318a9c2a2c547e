package io.farheap.tools.objects;

import io.farheap.ObjectPool;
import io.farheap.PoolBuilder;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.Descriptor;
import io.farheap.objects.dump.HeapLoad;
import io.farheap.objects.type.RootLayout;
import io.farheap.pool.CreatedFiles;
import io.farheap.pool.ExistingParts;
import io.farheap.pool.FileStatus;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.command.SizeConverter;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import io.farheap.ulog.NoRoomException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap load}. */
@Command(
        name = "load",
        description = {
            "Makes typed objects of what farheap dump prints, in an empty pool.",
            "",
            "The pool is made where a poolset file describes one and none of it exists; a plain"
                    + " file needs --size. Its replicas get the objects, too. Until all of the dump"
                    + " is there no program can open the pool. If the dump is refused, a pool that"
                    + " was made for it is removed again, unless it has remote replicas; of one"
                    + " that was there, and after an interruption: remove the pool and load again."
        },
        footer = {
            "",
            "Examples:",
            "  farheap load -i bank.jsonl bank.set",
            "  farheap load --size=1G copy.pool < bank.jsonl"
        },
        mixinStandardHelpOptions = true)
public final class LoadCommand implements Callable<Integer> {
    @Option(
            names = {"-i", "--input"},
            paramLabel = "DUMP",
            description = "a file with the dump; default: standard input")
    private Path input;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "bytes of a plain file to make, with a unit such as 64M or 1GiB")
    private Long size;

    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Override
    public Integer call() throws IOException {
        requireInput();
        requireFit();
        long objects;
        try (InputStream in = input == null ? System.in : Files.newInputStream(input)) {
            objects = load(new BufferedInputStream(in));
        }
        output.say(pool.file() + ": loaded " + objects + " objects");
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line("file", pool.file().toString());
                report.line("objects", objects);
            }
        }
        return 0;
    }

    private void requireInput() {
        if (input != null && Files.isDirectory(input)) {
            throw FarheapException.wrongUse(
                    "%s is a directory: name a file with what farheap dump printed", input);
        }
    }

    private void requireFit() {
        boolean there = FileStatus.of(pool.file()).exists();
        if (!there && size == null) {
            throw FarheapException.environment(
                    "%s: No such file or directory; to make a pool file give its --size, or name a"
                            + " pool or a poolset file that is there",
                    pool.file());
        }
        if (there && size != null) {
            throw FarheapException.wrongUse(
                    "%s is there, and --size is for a pool file that is not: leave it out, or name"
                            + " another file; nothing was changed",
                    pool.file());
        }
    }

    private long load(InputStream in) throws IOException {
        PoolBuilder builder = ObjectPool.at(pool.file()).layout(RootLayout.LAYOUT);
        PoolBuilder sized = size == null ? builder : builder.size(size);
        if (!isMade()) {
            try (ObjectPool open = opened(sized)) {
                return load(in, open, null);
            }
        }
        PoolSource source = size == null ? pool.source() : PoolSource.newFile(pool.file(), size);
        CreatedFiles made = CreatedFiles.before(source);
        try (ObjectPool open = sized.create()) {
            return load(in, open, made);
        }
    }

    private ObjectPool opened(PoolBuilder builder) {
        try {
            return builder.openOrCreate();
        } catch (FarheapException e) {
            String layout = e.category() == Category.WRONG_USE ? foreignLayout() : null;
            throw layout == null
                    ? e
                    : new FarheapException(
                            e.category(),
                            String.format(
                                    "%s is no pool of typed objects, its layout is \"%s\": name a"
                                            + " new pool; nothing was changed",
                                    pool.file(), layout),
                            e);
        }
    }

    /** Null where it is that of typed objects, or can't be read. */
    private String foreignLayout() {
        try (PoolFiles there = PoolFiles.openPrivate(pool.source(), null)) {
            String layout = new Descriptor(there.memory()).layout();
            return layout.equals(RootLayout.LAYOUT) ? null : layout;
        } catch (FarheapException e) {
            return null;
        }
    }

    /** Whether there is no such pool yet, and all of it will be here. */
    private boolean isMade() {
        PoolSource source = pool.source();
        if (!source.isPoolSet()) {
            return size != null && !FileStatus.of(pool.file()).exists();
        }
        PoolSet set = source.existing();
        return size == null
                && !set.isDirectorySet()
                && set.remoteReplicas().isEmpty()
                && !ExistingParts.isAny(source);
    }

    /**
     * Loads into a pool that is open.
     *
     * @param made what goes again where that fails; null: what is there stays
     */
    private long load(InputStream in, ObjectPool open, CreatedFiles made) throws IOException {
        HeapLoad begun = begin(open);
        try (HeapLoad load = begun) {
            return new DumpReader(in, load).load();
        } catch (FarheapException e) {
            String why = made != null && e instanceof NoRoomException ? tooSmall() : e.getMessage();
            throw new FarheapException(e.category(), failed(why, open, made, e), e);
        } catch (IOException e) {
            String why = "it can't be read: " + e.getMessage();
            throw FarheapException.environment(e, "%s", failed(why, open, made, e));
        }
    }

    private String tooSmall() {
        return "what it has does not fit into the pool: make it larger, "
                + (size == null ? "in " + pool.file() : "with a --size above " + size);
    }

    private String failed(String why, ObjectPool open, CreatedFiles made, Exception failure) {
        return String.format(
                "%s: %s; %s",
                input == null ? "standard input" : input,
                why,
                made == null ? left(open) : withdrawn(open, made, failure));
    }

    /** A pool that has data is refused before anything of it is this command's to be removed. */
    private HeapLoad begin(ObjectPool open) {
        try {
            return new HeapLoad(open);
        } catch (FarheapException e) {
            throw new FarheapException(
                    e.category(),
                    String.format(
                            "%s: %s; farheap dump %s shows what is in it, or that an earlier load"
                                    + " did not come to its end",
                            pool.file(), e.getMessage(), pool.file()),
                    e);
        }
    }

    private String left(ObjectPool open) {
        return open.root().isNull()
                ? pool.file() + " is still empty"
                : "a part of it was loaded: remove "
                        + pool.file()
                        + " (farheap rm), and load the dump again";
    }

    /** What this command made itself; it is locked until it is gone: nobody could open it. */
    private String withdrawn(ObjectPool open, CreatedFiles made, Exception failure) {
        int before = failure.getSuppressed().length;
        made.remove(failure);
        boolean removed = failure.getSuppressed().length == before;
        try {
            open.close();
        } catch (FarheapException e) {
            failure.addSuppressed(e);
        }
        return removed
                ? "the pool that was made for it is removed again"
                : "remove what is left of "
                        + pool.file()
                        + " (farheap rm), and load the dump again";
    }
}
