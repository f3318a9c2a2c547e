package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.RdmaVerbs;
import io.farheap.memory.NativeFile;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.journal.RecordLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * What comes first when a process is killed: its file lock goes, or its memory can no longer be
 * written to by its peer? Three processes, over and over: one holds the lock of a file and lets its
 * memory be written to, one writes without a pause, and this one kills the first, waits for the
 * lock, and watches the memory from then on.
 */
public final class WritesAfterLock implements Consumer<String[]> {
    private static final int RING = 1 << 16;
    private static final int WRITE = 64;
    private static final int WINDOW = 64;
    private static final long WATCHED_NANOS = 300_000_000;
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final int EXCLUSIVE = 2;
    private static final int READ = 0;

    private final Path ring = Path.of("/dev/shm/ring");
    private final Path note = Path.of("/dev/shm/note");
    private final String address = System.getProperty("rdma.address");

    /** Made by the class loader that knows DiSNI. */
    public WritesAfterLock() {}

    @Override
    public void accept(String[] role) {
        try {
            switch (role[0]) {
                case "holder" -> hold(role[1].equals("device-first"));
                case "writer" -> write();
                default -> watch(Integer.parseInt(role[1]));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static MemorySegment map(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, RING, Arena.global());
        }
    }

    // ---- who is killed ----

    private void hold(boolean deviceFirst) throws IOException {
        NativeFile file = deviceFirst ? null : NativeFile.open(ring);
        RdmaVerbs unused = RdmaVerbs.open();
        RawEnd.Listener listener = new RawEnd.Listener(new InetSocketAddress(address, 0));
        tell(Integer.toString(listener.port()));
        try (RawEnd end = listener.accept(Deadline.in(BOUND))) {
            Region region = new Region(end.pair(), map(ring), Region.SHARED);
            if (deviceFirst) {
                file = NativeFile.open(ring);
            }
            file.lock();
            tell(region.address() + " " + region.remoteKey());
            while (true) {
                LockSupport.park();
            }
        }
    }

    private void tell(String text) throws IOException {
        Path made = Files.writeString(Path.of(note + ".new"), text);
        Files.move(made, note, StandardCopyOption.ATOMIC_MOVE);
    }

    // ---- who writes ----

    private void write() throws IOException {
        RdmaVerbs unused = RdmaVerbs.open();
        Deadline deadline = Deadline.in(BOUND);
        int port = Integer.parseInt(hear(1, deadline)[0]);
        RawEnd end = RawEnd.connect(new InetSocketAddress(address, port), deadline);
        String[] there = hear(2, deadline);
        long remote = Long.parseLong(there[0]);
        int key = Integer.parseInt(there[1]);
        MemorySegment memory = RawEnd.memory((long) WINDOW * WRITE);
        Region local = new Region(end.pair(), memory, Region.LOCAL);
        Chain chain = new Chain(end.pair().queues(), 1, Chain.NO_TAIL, 0);
        Completions completions = new Completions(end.pair());
        long done = 0;
        for (long n = 0; true; n++) {
            while (n - done >= WINDOW) {
                int reported = completions.poll();
                for (int i = 0; i < reported; i++) {
                    if (completions.failed(i)) {
                        return; // the other one is gone
                    }
                }
                done += reported;
            }
            long from = n % WINDOW * WRITE;
            memory.asSlice(from, WRITE).fill((byte) (n / (RING / WRITE) + 1));
            long to = n % (RING / WRITE) * WRITE;
            chain.set(0, local.address() + from, local.localKey(), WRITE, remote + to, key);
            chain.post(n);
        }
    }

    private String[] hear(int words, Deadline deadline) throws IOException {
        while (!deadline.isOver()) {
            if (Files.exists(note)) {
                String[] heard = Files.readString(note).split(" ");
                if (heard.length == words) {
                    return heard;
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new IOException("nothing is told");
    }

    // ---- who watches ----

    private record Seen(long lastChange, int changes, String holder) {}

    private void watch(int rounds) throws IOException, InterruptedException {
        long seed = new Random().nextLong() >>> 16;
        Random random = new Random(seed);
        System.out.println("WritesAfterLock: seed " + seed);
        for (boolean monitored : new boolean[] {false, true}) {
            for (String order : List.of("device-first", "lock-first")) {
                int late = 0;
                long latest = 0;
                int alive = 0;
                for (int round = 0; round < rounds; round++) {
                    Seen seen = round(order, monitored, random);
                    late += seen.changes() > 0 ? 1 : 0;
                    latest = Math.max(latest, seen.lastChange());
                    alive += seen.holder().matches("[ZX]*") ? 0 : 1;
                }
                System.out.printf(
                        "%s%s: %d rounds; in %d the killed process still was there with the lock"
                                + " taken, in %d its memory was written to, at most %d us later%n",
                        order,
                        monitored ? ", /proc/PID/smaps read all the time" : "",
                        rounds,
                        alive,
                        late,
                        latest / 1000);
            }
        }
    }

    private Seen round(String order, boolean monitored, Random random)
            throws IOException, InterruptedException {
        Files.deleteIfExists(note);
        Files.write(ring, new byte[RING]);
        MemorySegment memory = map(ring);
        Process holder = start("holder", order);
        Process writer = start("writer");
        Thread monitor = Thread.ofPlatform().daemon().unstarted(() -> monitor(holder.pid()));
        try {
            awaitChange(memory);
            if (monitored) {
                monitor.start();
            }
            LockSupport.parkNanos(50_000_000 + random.nextInt(50_000_000));
            Process unused = holder.destroyForcibly();
            return watchFromLockOn(memory, holder.pid());
        } finally {
            int unused = holder.waitFor();
            Process unusedToo = writer.destroyForcibly();
            unused = writer.waitFor();
            if (monitored) {
                monitor.join();
            }
        }
    }

    private static void monitor(long pid) {
        try {
            while (true) {
                byte[] unused = Files.readAllBytes(Path.of("/proc/" + pid + "/smaps"));
                if (unused.length == 0) {
                    return;
                }
            }
        } catch (IOException e) {
            return; // it is gone
        }
    }

    private static Process start(String... role) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("io.farheap.replication.fabric.verbs.DisniProgram");
        command.add("WritesAfterLock");
        command.addAll(List.of(role));
        return new ProcessBuilder(command).inheritIO().start();
    }

    private static void awaitChange(MemorySegment memory) throws IOException {
        Deadline deadline = Deadline.in(BOUND);
        while (memory.get(RecordLayout.LONG, RING - WRITE) == 0) {
            if (deadline.isOver()) {
                throw new IOException("nobody writes");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    private Seen watchFromLockOn(MemorySegment memory, long pid) {
        int descriptor =
                call(
                        "open",
                        MemorySegment.class,
                        Arena.global().allocateFrom(ring.toString()),
                        READ);
        int locked = call("flock", int.class, descriptor, EXCLUSIVE); // waits
        long begin = System.nanoTime();
        MemorySegment before = Arena.ofAuto().allocate(RING);
        before.copyFrom(memory);
        String holder = states(pid);
        int changes = 0;
        long last = 0;
        while (System.nanoTime() - begin < WATCHED_NANOS) {
            if (memory.mismatch(before) >= 0) {
                last = System.nanoTime() - begin;
                changes++;
                before.copyFrom(memory);
            }
        }
        int closed = call("close", int.class, descriptor, 0);
        if (locked != 0 || closed != 0) {
            throw new IllegalStateException("flock: " + locked + ", close: " + closed);
        }
        return new Seen(last, changes, holder);
    }

    /** A function of the C library. */
    private static int call(String name, Class<?> first, Object one, int two) {
        Linker linker = Linker.nativeLinker();
        MemoryLayout argument = first == int.class ? ValueLayout.JAVA_INT : ValueLayout.ADDRESS;
        try {
            return (int)
                    linker.downcallHandle(
                                    linker.defaultLookup().findOrThrow(name),
                                    FunctionDescriptor.of(
                                            ValueLayout.JAVA_INT, argument, ValueLayout.JAVA_INT))
                            .invokeWithArguments(one, two);
        } catch (Throwable e) {
            throw new IllegalStateException(name, e);
        }
    }

    /** Of all its threads, a letter each. */
    private static String states(long pid) {
        StringBuilder states = new StringBuilder();
        try (var tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks.toList()) {
                String line = Files.readString(task.resolve("stat"));
                states.append(line.charAt(line.lastIndexOf(')') + 2));
            }
        } catch (IOException | UncheckedIOException e) {
            return states.toString(); // it is gone meanwhile
        }
        return states.toString();
    }
}
