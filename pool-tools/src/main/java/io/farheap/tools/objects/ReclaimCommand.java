package io.farheap.tools.objects;

import io.farheap.objects.ReclaimReport;
import io.farheap.objects.ReclaimReport.OfType;
import io.farheap.objects.type.StoredHeap;
import io.farheap.objects.type.UnreachableObjects;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.destruction.Consent;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap reclaim}. */
@Command(
        name = "reclaim",
        description = {
            "Frees the typed objects that a pool's root does not reach.",
            "",
            "That is each with what it owns, and the places of deleted objects that nothing refers"
                    + " to any more. What is found is said by type, count and bytes; then it asks."
                    + " Where nobody is at a terminal, --yes agrees. The pool must be closed, and"
                    + " its replicas get the change, too: a program that has the pool calls"
                    + " PersistentHeap.reclaim(). If it is interrupted, give the same command again."
        },
        footer = {
            "",
            "Examples:",
            "  farheap reclaim -d bank.set  # what would be freed; changes nothing",
            "  farheap reclaim -y bank.set"
        },
        mixinStandardHelpOptions = true)
public final class ReclaimCommand implements Callable<Integer> {
    @Option(
            names = {"-d", "--dry-run"},
            description = "say what would be freed, and write nothing")
    private boolean dryRun;

    @Mixin private Consent consent;

    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Override
    public Integer call() throws IOException {
        ReclaimReport result = TypedPool.unchanged(pool.file()).with(this::look);
        if (!dryRun && result.objects() > 0) {
            new Destruction(consent, output)
                    .agree("free them in " + pool.file(), "this frees objects of the pool");
            result = TypedPool.changed(pool.file()).with(heap -> reclaim(heap, false));
            output.say(pool.file() + ": freed " + amount(result));
        }
        if (output.isJson()) {
            report(result);
        }
        return 0;
    }

    private ReclaimReport look(StoredHeap heap) {
        ReclaimReport found = reclaim(heap, true);
        for (OfType one : found.types()) {
            output.say(
                    String.format(
                            Locale.ROOT,
                            "%s: %d objects, %d bytes",
                            one.type(),
                            one.objects(),
                            one.bytes()));
        }
        output.say(
                pool.file()
                        + ": "
                        + (found.objects() == 0
                                ? "nothing is to be freed"
                                : amount(found) + " can be freed"));
        return found;
    }

    private static ReclaimReport reclaim(StoredHeap heap, boolean isDryRun) {
        List<OfType> types = heap.reclaim(isDryRun).stream().map(ReclaimCommand::figures).toList();
        return new ReclaimReport(types, !isDryRun);
    }

    private static OfType figures(UnreachableObjects found) {
        return new OfType(found.type(), found.objects(), found.bytes());
    }

    private static String amount(ReclaimReport report) {
        return report.objects() + " objects, " + report.bytes() + " bytes";
    }

    private void report(ReclaimReport found) {
        try (Report report = output.report()) {
            report.line("file", pool.file().toString());
            report.line("freed", found.isDone());
            report.line("objects", found.objects());
            report.line("bytes", found.bytes());
            report.beginList("types");
            for (OfType one : found.types()) {
                report.item(one.type());
                report.line("type", one.type());
                report.line("objects", one.objects());
                report.line("bytes", one.bytes());
                report.end();
            }
            report.end();
        }
    }
}
