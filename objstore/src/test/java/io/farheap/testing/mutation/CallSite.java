package io.farheap.testing.mutation;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDescs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A place in the product that flushes, fences or compares a checksum, and what is to be left out
 * there.
 *
 * @param owner class that has it, as {@code io/farheap/...}
 * @param method its method
 * @param descriptor of the method
 * @param number of the call among the method's calls of {@link #CALLS}, from 1; 0: the method
 *     itself is a check, and always passes
 * @param called the name of what is called; empty for a check
 * @param without what is left out: "flush", "fence" or "checksum"
 */
record CallSite(
        String owner, String method, String descriptor, int number, String called, String without) {

    /** What starts write-back and what waits for it. */
    static final Set<String> CALLS = Set.of("flush", "fence", "order", "persist", "persistLong");

    private static final String MEMORY = "io/farheap/memory/";

    /** Who makes stores durable: the seam itself, whose other side is hardware or kernel. */
    private static final Set<String> RECEIVERS =
            Set.of(MEMORY + "PoolMemory", MEMORY + "Persistence");

    /** Classes of the memory package are that other side, but for this one. */
    private static final String MIRROR = MEMORY + "MirroredPersistence";

    /** Opens and makes files: what it flushes there lies in files only. */
    private static final String FILES = "io/farheap/pool/";

    /** All of the product's classes under {@code classes}, in a fixed order. */
    static List<CallSite> all(Path classes) throws IOException {
        List<CallSite> sites = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).sorted().toList()) {
                ClassModel model = ClassFile.of().parse(file);
                String owner = model.thisClass().asInternalName();
                boolean simulated = !owner.startsWith(MEMORY) || owner.equals(MIRROR);
                if (simulated && !owner.startsWith(FILES)) {
                    for (MethodModel method : model.methods()) {
                        add(owner, method, sites);
                    }
                }
            }
        }
        return sites;
    }

    private static void add(String owner, MethodModel method, List<CallSite> sites) {
        String name = method.methodName().stringValue();
        String descriptor = method.methodType().stringValue();
        int number = 0;
        boolean sums = name.endsWith("Matches");
        for (CodeElement element :
                method.code().<Iterable<CodeElement>>map(c -> c).orElse(List.of())) {
            if (element instanceof InvokeInstruction call) {
                String called = call.name().stringValue();
                if (isPersistence(call)) {
                    number++;
                    if (!called.equals("fence") && !called.equals("order")) {
                        sites.add(new CallSite(owner, name, descriptor, number, called, "flush"));
                    }
                    if (!called.equals("flush")) {
                        sites.add(new CallSite(owner, name, descriptor, number, called, "fence"));
                    }
                }
                sums |= called.toLowerCase(Locale.ROOT).endsWith("checksum");
            }
        }
        boolean check = method.methodTypeSymbol().returnType().equals(ConstantDescs.CD_boolean);
        if (check && sums) {
            sites.add(new CallSite(owner, name, descriptor, 0, "", "checksum"));
        }
    }

    static boolean isPersistence(InvokeInstruction call) {
        return RECEIVERS.contains(call.owner().asInternalName())
                && CALLS.contains(call.name().stringValue());
    }

    /** For people and for the table: no line numbers, which change with every edit. */
    String name() {
        String type = owner.substring(owner.lastIndexOf('/') + 1);
        if (number == 0) {
            return type + "." + method + descriptor.substring(0, descriptor.indexOf(')') + 1);
        }
        return type + "." + method + ", call " + number + ", " + called;
    }
}
