package io.farheap.tools.objects;

import io.farheap.base.FarheapException;
import io.farheap.objects.type.CHeader;
import io.farheap.objects.type.StoredHeap;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap types}. */
@Command(
        name = "types",
        description = {
            "Prints the types of a pool of typed objects.",
            "",
            "All versions that the pool has of each are there, the oldest first, with the place of"
                    + " every field. The pool must be closed; it is recovered in memory only, and"
                    + " nothing is written."
        },
        footer = {
            "",
            "Examples:",
            "  farheap types bank.set",
            "  farheap types --c bank.set  # for programs in C that read the pool"
        },
        mixinStandardHelpOptions = true)
public final class TypesCommand implements Callable<Integer> {
    @Option(
            names = "--c",
            description = "print a header for C: structs, type numbers, TOID declarations")
    private boolean asHeader;

    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Override
    public Integer call() {
        if (asHeader && output.isJson()) {
            throw FarheapException.wrongUse("--c can't be used with --json");
        }
        List<TypeDescriptor> table = TypedPool.unchanged(pool.file()).with(StoredHeap::table);
        if (asHeader) {
            output.writer().print(CHeader.of(table));
            output.writer().flush();
        } else if (output.isJson()) {
            report(table);
        } else {
            table.forEach(this::say);
        }
        return 0;
    }

    private void say(TypeDescriptor type) {
        output.say(
                String.format(
                        Locale.ROOT,
                        "%s %s, version %d, type number %d, %s%s",
                        kind(type),
                        type.name(),
                        type.version(),
                        type.id(),
                        type.size() + " bytes",
                        type.superTypes().isEmpty()
                                ? ""
                                : ", is a " + String.join(", a ", type.superTypes())));
        boolean isStored = hasPlaces(type);
        for (Field field : type.fields()) {
            output.say(
                    isStored
                            ? String.format(
                                    Locale.ROOT,
                                    "%6d %5d  %s: %s%s%s",
                                    field.offset(),
                                    field.size(),
                                    field.name(),
                                    field.type(),
                                    field.nullBit() < 0 ? "" : ", null bit " + field.nullBit(),
                                    field.isRequired() ? ", required" : "")
                            : "       " + field.name());
        }
    }

    /** Constants of an enum, and records of a sealed interface, lie nowhere. */
    private static boolean hasPlaces(TypeDescriptor type) {
        return type.kind() == TypeDescriptor.Kind.OBJECT
                || type.kind() == TypeDescriptor.Kind.RECORD;
    }

    private static String kind(TypeDescriptor type) {
        return type.kind().name().toLowerCase(Locale.ROOT);
    }

    private void report(List<TypeDescriptor> table) {
        try (Report report = output.report()) {
            report.line("file", pool.file().toString());
            report.beginList("types");
            for (TypeDescriptor type : table) {
                report.item(type.name());
                report.line("name", type.name());
                report.line("kind", kind(type));
                report.line("version", type.version());
                report.line("type number", type.id());
                report.line("java name", type.javaName());
                report.line("super types", type.superTypes());
                report.line("size", type.size());
                report.line("alignment", type.alignment());
                report.beginList("fields");
                type.fields().forEach(field -> report(report, field));
                report.end();
                report.end();
            }
            report.end();
        }
    }

    private static void report(Report report, Field field) {
        report.item(field.name());
        report.line("name", field.name());
        report.line("type", field.type());
        report.line("offset", field.offset());
        report.line("size", field.size());
        report.line("null bit", field.nullBit());
        report.line("required", field.isRequired());
        report.end();
    }
}
