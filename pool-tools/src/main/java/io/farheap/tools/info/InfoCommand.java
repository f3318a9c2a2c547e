package io.farheap.tools.info;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.pool.FileStatus;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.report.Console;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import io.farheap.ulog.LaneArea;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code farheap info}. */
@Command(
        name = "info",
        sortOptions = false,
        description = {
            "Prints what a pool is made of.",
            "",
            "Nothing is written and no recovery is done: after a crash it shows the pool as the crash"
                    + " left it, with what its disk journal has. The files are locked meanwhile. Of"
                    + " a damaged pool it shows what can be read, says on standard error what"
                    + " can't, and ends with exit code 1. FILE may be a poolset file, a pool file,"
                    + " or one part of a pool.",
            "",
            "RANGE is 3, 3-9, -9 or 3-; several are separated by commas."
        },
        footer = {
            "",
            "Examples:",
            "  farheap info bank.set             # headers and descriptor",
            "  farheap info -s -m bank.set       # how full it is, and a picture of it",
            "  farheap info -l -R bank.set       # what the next opening has to recover",
            "  farheap info -O -t 7 -r -9 -d p   # ten objects of type 7, with bytes",
            "  farheap info -Z0 -C0-15 -b p      # first blocks of zone 0, with bitmaps",
            "  farheap info -p1 --json bank.set  # replica 1, for programs"
        },
        mixinStandardHelpOptions = true)
public final class InfoCommand implements Callable<Integer> {
    private static final int DAMAGED = 1;

    @Mixin private InfoOptions options = new InfoOptions();

    @Mixin private Output output;

    @Parameters(paramLabel = "FILE", description = "a poolset file, a pool file or one part")
    private Path file;

    @Spec private CommandSpec spec;

    private final Problems problems = new Problems();

    /** For picocli, which sets what it was told. */
    public InfoCommand() {}

    private InfoCommand(Path file, Console console) {
        this.file = file;
        this.output = new Output(console);
    }

    /** Of a file, without options; what it would do if picocli had found none. */
    public static InfoCommand of(Path file, Console console) {
        return new InfoCommand(file, console);
    }

    @Override
    public Integer call() throws IOException {
        if (options.mistake() != null) {
            throw new ParameterException(spec.commandLine(), options.mistake());
        }
        PoolSource source = PoolSource.of(file);
        boolean plain = !source.isPoolSet();
        PoolSet set = plain ? plainSet(source) : source.existing();
        LocalReplica replica = replica(set);
        List<BadBlocks.Found> bad = badBlocks(replica);
        try (LocalImage image = LocalImage.open(set, replica, plain, problems)) {
            requirePool(image);
            try (Report report = output.report()) {
                print(report, set, plain, image, bad);
                if (output.isJson()) {
                    report.line("problems", problems.sentences());
                }
            }
        } catch (IOException | FarheapException e) {
            tellOfBadBlocks(replica, bad); // which may be why
            throw e;
        }
        problems.sentences().forEach(sentence -> output.errors().println("farheap: " + sentence));
        return problems.isEmpty() ? 0 : DAMAGED;
    }

    private static PoolSet plainSet(PoolSource source) {
        Path path = source.path();
        FileStatus found = source.requireFile();
        if (found.size() < PoolHeader.SIZE) {
            throw FarheapException.badData(
                    "%s has %s bytes: it is no pool, or was cut off; name a pool, or put"
                            + " it back from a backup",
                    path, found.size());
        }
        Part part = Part.file(path, found.size());
        return PoolSet.of(Set.of(), List.of(new LocalReplica(List.of(part))));
    }

    private LocalReplica replica(PoolSet set) {
        if (options.replica >= set.replicas().size()) {
            throw FarheapException.wrongUse(
                    "%s has no replica %s: they count from 0", file, options.replica);
        }
        if (set.replicas().get(options.replica) instanceof LocalReplica local) {
            return local;
        }
        throw FarheapException.wrongUse(
                "replica %s is on another machine (%s): run farheap info there, or"
                        + " farheap status here",
                options.replica, set.replicas().get(options.replica));
    }

    /** Something must say that it is a pool, or anything would be shown as one. */
    private void requirePool(LocalImage image) {
        PoolHeader header = image.header(0);
        boolean known =
                options.force != null
                        || header != null && header.hasSignature()
                        || hasDescriptor(image);
        if (!known) {
            String all = String.join("; ", problems.sentences());
            throw FarheapException.badData(
                    "%s: cannot determine type of pool; -f obj shows it as one all the same",
                    (all.isEmpty() ? "" : all + "; ") + image.replica().parts().get(0).path());
        }
    }

    private static boolean hasDescriptor(LocalImage image) {
        return image.memory().size() >= Descriptor.END
                && Descriptor.faultIn(image.memory().image()) == null;
    }

    /** Before anything of the parts is read, in their order; none where they are not asked for. */
    private List<BadBlocks.Found> badBlocks(LocalReplica replica) {
        BadBlocks kernel = new BadBlocks();
        return options.hasBadBlocks()
                ? replica.parts().stream().map(part -> kernel.of(part.path())).toList()
                : List.of();
    }

    private void tellOfBadBlocks(LocalReplica replica, List<BadBlocks.Found> bad) {
        for (int p = 0; p < bad.size(); p++) {
            Path part = replica.parts().get(p).path();
            for (BadBlocks.Range range : bad.get(p).ranges()) {
                output.errors()
                        .println(
                                "farheap: %s: its medium can't give back %s bytes from offset %s on"
                                        .formatted(part, range.length(), range.offset()));
            }
        }
    }

    private void print(
            Report report, PoolSet set, boolean plain, LocalImage image, List<BadBlocks.Found> bad)
            throws IOException {
        PoolFacts facts = new PoolFacts(report, options, problems);
        if (plain) {
            facts.file(file, Files.size(file));
        } else {
            facts.structure(set);
        }
        facts.badBlocks(image.replica(), bad);
        facts.headers(set, image);
        facts.journal(image);
        if (plain && isLaterPart(image)) {
            report.line(
                    "Part of a set",
                    "not the first: what is behind its header belongs to the pool's image, and only"
                            + " the whole set shows what it is");
            return;
        }
        Descriptor descriptor = new Descriptor(image.memory());
        boolean[] placed = {true};
        descriptor.eachFault(
                (fault, offset) -> {
                    problems.add(image.replica().parts().get(0).path() + ": " + fault);
                    placed[0] &= offset == Descriptor.RUN_ID || offset == Descriptor.OFFSET;
                });
        facts.descriptor(descriptor, image);
        if (placed[0]) {
            content(report, facts, image);
        }
    }

    private void content(Report report, PoolFacts facts, LocalImage image) {
        if (options.lanes != null) {
            try {
                new LaneFacts(report, options, problems).lanes(new LaneArea(image.memory()));
            } catch (FarheapException e) {
                problems.add(e.getMessage());
            }
        }
        new HeapFacts(report, options, problems, image.memory()).print(facts, hasColours());
    }

    /** A header that names neighbours, and no descriptor behind it. */
    private static boolean isLaterPart(LocalImage image) {
        PoolHeader header = image.header(0);
        return header != null
                && header.withoutMark().checksumMatches()
                && !header.links().nextPart().equals(header.uuid())
                && !hasDescriptor(image);
    }

    private boolean hasColours() {
        return switch (options.colours) {
            case ALWAYS -> !output.isJson();
            case AUTO -> output.hasColours();
            case NEVER -> false;
        };
    }
}
