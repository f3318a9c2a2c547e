package io.farheap.replication.fabric.verbs;

import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A target's end in a process of its own, to be killed: answers each message with one. */
final class VerbsPeer implements AutoCloseable {
    static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];
    static final int REGION = 1 << 20;

    private static final Duration LONG = Duration.ofMinutes(10);

    private final Process process;
    private final InetSocketAddress address;

    private VerbsPeer(Process process, int port) {
        this.process = process;
        this.address = new InetSocketAddress(VerbsFabricTest.rdmaAddress(), port);
    }

    /** Starts one; it listens when this returns. */
    static VerbsPeer start() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(VerbsPeer.class.getName());
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader said = process.inputReader();
        return new VerbsPeer(process, Integer.parseInt(said.readLine()));
    }

    InetSocketAddress address() {
        return address;
    }

    /** By its name: STOP, KILL. */
    void signal(String name) throws IOException, InterruptedException {
        int status =
                new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                        .inheritIO()
                        .start()
                        .waitFor();
        if (status != 0) {
            throw new AssertionError("kill -" + name + ": " + status);
        }
    }

    @Override
    public void close() throws InterruptedException {
        int unused = process.destroyForcibly().waitFor();
    }

    public static void main(String[] args) {
        Fabric fabric = VerbsFabrics.open(WaitStrategy.DEFAULT);
        MemorySegment region = Arena.ofAuto().allocate(REGION, 64);
        TargetListener listener = fabric.listen(VerbsFabricTest.rdmaAddress(), 0, SECRET, region);
        System.out.println(listener.port());
        System.out.flush();
        Endpoint end = listener.accept(LONG);
        while (true) {
            int done = end.await((memory, at, length) -> end.send(region, 0, 64), 1_000_000_000L);
            if (done > 0) {
                end.post();
            }
        }
    }
}
