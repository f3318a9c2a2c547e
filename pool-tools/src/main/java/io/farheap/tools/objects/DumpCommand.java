package io.farheap.tools.objects;

import io.farheap.base.FarheapException;
import io.farheap.objects.dump.HeapDump;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.tools.command.PoolArgument;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code farheap dump}. */
@Command(
        name = "dump",
        description = {
            "Prints the typed objects of a pool as lines of JSON.",
            "",
            "The first line tells what follows; then each type has a line, and each object:"
                    + " {\"id\":7,\"type\":\"Account#1\",\"fields\":{...}}. A reference is the id"
                    + " of its object. Equal heaps give the same lines, and farheap load makes such"
                    + " a heap of them. Objects that the root does not reach are there, too."
                    + " The pool must be closed; it is recovered in memory only, and nothing is"
                    + " written."
        },
        footer = {
            "",
            "Examples:",
            "  farheap dump bank.set > bank.jsonl",
            "  farheap dump --type=com.example.Account bank.set  # its objects alone"
        },
        mixinStandardHelpOptions = true)
public final class DumpCommand implements Callable<Integer> {
    @Option(
            names = "--type",
            paramLabel = "NAME",
            description = "only the objects of this type, of all its versions")
    private String typeName;

    @Mixin private PoolArgument pool;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        boolean unused = TypedPool.unchanged(pool.file()).dumped(dump -> print(dump, out));
        return 0;
    }

    private boolean print(HeapDump dump, PrintWriter out) {
        try (DumpWriter writer = new DumpWriter(out)) {
            if (typeName == null) {
                writer.head(dump);
            }
            boolean isComplete = true;
            for (TypeDescriptor type : chosen(dump)) {
                isComplete = isComplete && writer.objects(dump, type);
            }
            return isComplete; // else nobody reads any more
        }
    }

    private List<TypeDescriptor> chosen(HeapDump dump) {
        List<TypeDescriptor> types =
                dump.table().stream()
                        .filter(type -> type.kind() == TypeDescriptor.Kind.OBJECT)
                        .filter(type -> typeName == null || type.name().equals(typeName))
                        .toList();
        if (typeName != null && types.isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s has no type of objects with the name %s: \"farheap types %s\" lists them",
                    pool.file(), typeName, pool.file());
        }
        return types;
    }
}
