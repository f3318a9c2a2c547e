package io.farheap.tools.info;

import io.farheap.base.FarheapException;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.MappedImage;
import io.farheap.memory.PoolMemory;
import io.farheap.objects.type.TypeNames;
import io.farheap.objects.type.UnreachableObjects;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.backup.LiveImage;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.command.WholeFile;
import io.farheap.tools.objects.TypedPool;
import io.farheap.tools.report.Output;
import io.farheap.tools.status.PoolStatus;
import io.farheap.tools.status.StatusLook;
import io.farheap.tools.top.RateLog;
import io.farheap.tools.top.RateLog.Look;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap report}. */
@Command(
        name = "report",
        description = {
            "Writes a page about a pool, for a browser.",
            "",
            "It has the pool's copies and what can be done about each, a map of its heap, its objects"
                    + " by type, those that the root of a typed heap does not reach, and how much"
                    + " room is left in which pieces. The page is one file"
                    + " and needs no other. Nothing of the pool is changed. While a program has the"
                    + " pool open, the page shows the heap only with --copy. Exit code 1: some"
                    + " of it could not be read, and the page says what."
        },
        footer = {
            "",
            "Examples:",
            "  farheap report -o bank.html bank.set  # for a browser",
            "  farheap report -o - bank.set          # to standard output",
            "  farheap report -c -o bank.html bank.set  # while a program has it open",
            "  farheap report -t log -o bank.html bank.set  # with what farheap top wrote"
        },
        mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {
    private static final int DAMAGED = 1;
    private static final Path STANDARD_OUTPUT = Path.of("-");

    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "OUT",
            description = "the page's file, replaced as a whole or not at all; -: print it")
    private Path out;

    @Option(
            names = {"-c", "--copy"},
            description =
                    "where a program has the pool open, have it make a copy, as for a backup, and"
                            + " show what that holds; it needs room beside OUT for what is in use")
    private boolean copy;

    @Option(
            names = {"-t", "--top"},
            paramLabel = "LOG",
            description =
                    "a file that farheap top has written: the page shows from it how far replicas"
                            + " were behind over time")
    private Path top;

    private final Problems problems = new Problems();
    private final ReportPage page = new ReportPage();
    private final List<String> facts = new ArrayList<>();
    private Runnable heap = () -> {};
    private boolean isTyped;

    /** Why the heap is not shown; null: it is. */
    private String noHeap;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PoolSource source = pool.source();
        PoolSet set = source.existing();
        List<Look> looks = top == null ? List.of() : RateLog.read(top, pool.file());
        PoolStatus status =
                new StatusLook(source, set, ReplicationSettings.of(source.path())).look();
        if (status.openIn() == null) {
            survey(set);
            lookForUnreachable(status.poolset());
        } else if (copy) {
            surveyCopy(set, status.openIn());
            if (isTyped) {
                follow(() -> new UnreachableSection(page.markup()).writeUnknown(status.poolset()));
            }
        } else {
            noHeap =
                    "Process "
                            + status.openIn()
                            + " has the pool open: farheap report --copy has it make a copy, and"
                            + " shows what that holds.";
        }
        Runnable overTime =
                looks.isEmpty() ? () -> {} : new LagSection(page.markup(), top, looks)::write;
        String written = page.of(status, Instant.now(), facts, overTime, heap, noHeap, problems);
        if (out.equals(STANDARD_OUTPUT)) {
            output.writer().print(written);
            output.writer().flush();
        } else {
            WholeFile.replaceOwn(out, ReportPage.BEGIN, written, "page of farheap report");
        }
        if (problems.isEmpty()) {
            return 0;
        }
        int count = problems.sentences().size();
        output.errors()
                .printf(
                        "farheap: %s is written; %s could not be read, see there%n",
                        out.equals(STANDARD_OUTPUT) ? "the page" : out,
                        count == 1 ? "a thing" : count + " things");
        return DAMAGED;
    }

    private void survey(PoolSet set) throws IOException {
        try (LocalImage image = LocalImage.open(set, set.localReplicas().get(0), false, problems)) {
            if (image.journal() != null) {
                fact("disk journal", "a crash left it; the page shows the pool with what it has");
            }
            survey(image.memory(), image.header(0));
        } catch (FarheapException e) {
            problems.add(e.getMessage());
            noHeap = "The pool's files can't be read.";
        }
    }

    /** Behind what is shown of the heap. */
    private void follow(Runnable section) {
        Runnable before = heap;
        heap =
                () -> {
                    before.run();
                    section.run();
                };
    }

    private void lookForUnreachable(String poolset) {
        if (!isTyped || !problems.isEmpty()) {
            return; // of another kind, or what its references are worth nobody knows
        }
        try {
            List<UnreachableObjects> found =
                    TypedPool.unchanged(pool.file()).with(opened -> opened.reclaim(true));
            follow(() -> new UnreachableSection(page.markup()).write(found, poolset));
        } catch (FarheapException e) {
            problems.add(e.getMessage());
        }
    }

    private void surveyCopy(PoolSet set, long pid) throws IOException, InterruptedException {
        Path first = set.localReplicas().get(0).parts().get(0).path();
        try (LiveImage image = LiveImage.copy(pid, first, placeOfCopy(), LongWork.untold());
                MappedImage mapped = image.map()) {
            fact(
                    "copied",
                    "by process "
                            + pid
                            + " after "
                            + Units.count(image.commits())
                            + " commits since it opened the pool");
            survey(
                    HeapWalk.readOnly(mapped.segment()),
                    new PoolHeader(MemorySegment.ofArray(image.poolHeader())));
        }
    }

    private Path placeOfCopy() {
        Path beside =
                out.equals(STANDARD_OUTPUT)
                        ? Path.of(System.getProperty("java.io.tmpdir"), "farheap-report")
                        : out.toAbsolutePath();
        return beside.resolveSibling(
                beside.getFileName() + "." + ProcessHandle.current().pid() + ".farheap-unfinished");
    }

    private void survey(PoolMemory memory, PoolHeader header) {
        if (header != null && header.hasSignature()) {
            fact("pool set UUID", header.poolsetUuid().toString());
            fact("made", PoolFacts.time(header.creationSeconds()));
        }
        fact("size", Units.bytes(memory.size()));
        String fault = Descriptor.faultIn(memory.image());
        if (fault != null) {
            throw FarheapException.badData("%s", fault);
        }
        Descriptor descriptor = new Descriptor(memory);
        fact("layout", descriptor.layout());
        HeapSurvey survey = new HeapSurvey(problems);
        HeapWalk.walk(memory.image(), descriptor.heapOffset(), descriptor.heapSize(), survey);
        TypeNames names = names(memory, descriptor);
        isTyped = names.isTyped();
        heap = new HeapSections(page.markup(), survey, names)::write;
    }

    private void fact(String label, String value) {
        facts.add(label);
        facts.add(value);
    }

    private TypeNames names(PoolMemory memory, Descriptor descriptor) {
        try {
            return new TypeNames(memory.image(), descriptor.rootOffset(), descriptor.rootSize());
        } catch (FarheapException e) {
            problems.add(e.getMessage());
            return new TypeNames(memory.image(), 0, 0);
        }
    }
}
