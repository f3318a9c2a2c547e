package io.farheap.simulation.loader;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No call of the product reads a clock, waits for one or makes a thread past the simulation. */
class RewritingTest {
    /** What a simulation replaces as a whole, and what no pool or agent runs. */
    private static final Set<String> ELSEWHERE =
            Set.of(
                    "io.farheap.availability.etcd.EtcdTransport",
                    "io.farheap.agent.log.AgentLog$FileSink",
                    "io.farheap.agent.lock.ReplicaLock",
                    "io.farheap.agent.lock.ReplicaHolder",
                    "io.farheap.agent.log.SystemLog",
                    "io.farheap.live.LiveListener",
                    "io.farheap.live.OfferedPool",
                    "io.farheap.replication.control.AgentProcess");

    private static final String TCP = "io.farheap.replication.fabric.tcp.";

    private final Redirects redirects = new Redirects();

    @Test
    void everyCallThatTakesTimeIsRedirected() throws IOException, URISyntaxException {
        Set<String> left = new TreeSet<>();
        int classes = 0;
        for (Class<?> module :
                List.of(
                        io.farheap.ObjectPool.class,
                        io.farheap.replication.RemoteReplication.class,
                        io.farheap.agent.Agent.class,
                        io.farheap.availability.HighAvailability.class)) {
            for (byte[] bytes : classesBeside(module)) {
                classes++;
                look(ClassFile.of().parse(bytes), left);
            }
        }
        assertThat(classes).isGreaterThan(200);
        assertThat(left).isEmpty();
    }

    private static List<byte[]> classesBeside(Class<?> one) throws IOException, URISyntaxException {
        URI place = one.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path path = Path.of(place);
        if (Files.isDirectory(path)) {
            return classesIn(path.resolve("io/farheap"));
        }
        try (FileSystem jar = FileSystems.newFileSystem(path, Map.of())) {
            return classesIn(jar.getPath("/io/farheap"));
        }
    }

    private static List<byte[]> classesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<byte[]> found = new java.util.ArrayList<>();
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                found.add(Files.readAllBytes(file));
            }
            return found;
        }
    }

    private void look(ClassModel model, Set<String> left) {
        String owner = model.thisClass().asInternalName().replace('/', '.');
        if (!SimulationLoader.isRewritten(owner)
                || owner.startsWith(TCP)
                || ELSEWHERE.contains(owner)) {
            return;
        }
        for (MethodModel method : model.methods()) {
            CodeModel code = method.code().orElse(null);
            if (code != null) {
                for (CodeElement element : code) {
                    look(owner + "." + method.methodName(), element, left);
                }
            }
        }
    }

    private void look(String where, CodeElement element, Set<String> left) {
        if (element instanceof InvokeInstruction call) {
            String callee = call.owner().asInternalName();
            String name = call.name().stringValue();
            if (takesTime(callee, name, call.typeSymbol()) && redirects.of(call) == null) {
                left.add(where + " calls " + callee + "." + name + call.type().stringValue());
            }
        } else if (element instanceof InvokeDynamicInstruction dynamic) {
            for (ConstantDesc argument : dynamic.bootstrapArgs()) {
                if (argument instanceof DirectMethodHandleDesc handle) {
                    String text = handle.owner().descriptorString();
                    String callee = text.substring(1, text.length() - 1);
                    MethodTypeDesc type = handle.invocationType();
                    if (takesTime(callee, handle.methodName(), type)) {
                        left.add(where + " refers to " + callee + "::" + handle.methodName());
                    }
                }
            }
        }
    }

    private static boolean takesTime(String callee, String name, MethodTypeDesc type) {
        boolean timed =
                type.parameterList().stream()
                        .anyMatch(
                                parameter ->
                                        parameter.displayName().equals("TimeUnit")
                                                || parameter.displayName().equals("Duration"));
        return switch (callee) {
            case "java/lang/System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
            case "java/lang/Object" -> name.equals("wait") || name.startsWith("notify");
            case "java/lang/Thread" ->
                    name.equals("sleep")
                            || name.equals("onSpinWait")
                            || name.equals("yield")
                            || name.startsWith("of")
                            || name.startsWith("startVirtual")
                            || name.equals("threadId")
                            || name.equals("join") && type.parameterCount() > 0;
            case "java/util/concurrent/locks/LockSupport" ->
                    name.equals("parkNanos") || name.equals("parkUntil");
            case "java/util/concurrent/locks/Condition" ->
                    name.equals("awaitNanos") || name.equals("awaitUntil");
            case "java/util/concurrent/TimeUnit" ->
                    name.equals("sleep") || name.startsWith("timed");
            case "java/time/Instant", "java/time/LocalDateTime" -> name.equals("now");
            case "java/lang/Process", "java/util/Timer" -> true;
            default ->
                    callee.startsWith("java/util/concurrent/")
                            && (timed || callee.contains("Scheduled"));
        };
    }
}
