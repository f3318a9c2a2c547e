package io.farheap.agent.lock;

import io.farheap.agent.base.Refusal;
import io.farheap.replication.control.SessionOwner;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that takes a replica's lock and keeps it, as an agent does, until its input ends. */
final class LockKeeper implements AutoCloseable {
    private final Process process;

    private LockKeeper(Process process) {
        this.process = process;
    }

    /** Runs in the process: path, opening, attempt, and whether somebody has it still. */
    public static void main(String[] args) throws IOException {
        SessionOwner owner = new SessionOwner(args[1], Long.parseLong(args[2]));
        if (Boolean.parseBoolean(args[3])) {
            System.out.println("ready");
        }
        ReplicaLock lock = null;
        while (lock == null) {
            lock = attempt(Path.of(args[0]), owner, Boolean.parseBoolean(args[3]));
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // nobody says anything
        }
    }

    private static ReplicaLock attempt(Path lock, SessionOwner owner, boolean again) {
        try {
            return ReplicaLock.acquire(
                    lock, new LockRequest("a test", owner, false), Duration.ZERO);
        } catch (Refusal e) {
            if (again) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Starts one, and waits until it has the lock.
     *
     * @param flags of its virtual machine
     */
    static LockKeeper start(Path lock, SessionOwner owner, String... flags) throws IOException {
        return start(lock, owner, false, flags);
    }

    /** Starts one that takes the lock as soon as who has it is gone. */
    static LockKeeper startNext(Path lock) throws IOException {
        return start(lock, SessionOwner.NONE, true);
    }

    private static LockKeeper start(Path lock, SessionOwner owner, boolean next, String... flags)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx512m"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(LockKeeper.class.getName(), lock.toString(), owner.opening()));
        command.add(Long.toString(owner.attempt()));
        command.add(Boolean.toString(next));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader out = process.inputReader();
        String line = out.readLine();
        if (!"ready".equals(line)) {
            process.destroyForcibly();
            throw new IOException("the keeper of the lock said " + line);
        }
        return new LockKeeper(process);
    }

    ProcessHandle process() {
        return process.toHandle();
    }

    /** As a debugger, or a machine that hangs. */
    void stop() throws IOException, InterruptedException {
        // The shell's own: not every machine has the program.
        int status =
                new ProcessBuilder("sh", "-c", "kill -STOP " + process.pid())
                        .inheritIO()
                        .start()
                        .waitFor();
        if (status != 0) {
            throw new IOException("kill -STOP: " + status);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
