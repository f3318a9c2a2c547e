package io.farheap.it.lab;

import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.it.system.ReplicaHere;
import io.farheap.it.system.ReplicaSite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.time.Duration;

/**
 * What the second machine of the lab runs: it starts an agent for each control connection, in the
 * place of sshd, and answers what the test on the first one asks about the replica.
 */
final class TargetMachine implements OtherMachine {
    private static final Duration BOUND = Duration.ofSeconds(120);

    private final Machines machines = Machines.with();
    private ReplicaSite replica;

    private TargetMachine() {}

    /** On that machine: until it is stopped. */
    static void run() throws IOException, InterruptedException {
        System.setProperty("java.rmi.server.hostname", System.getenv("LAB_ADDRESS"));
        Registry registry = LocateRegistry.createRegistry(Registry.REGISTRY_PORT);
        registry.rebind(NAME, UnicastRemoteObject.exportObject(new TargetMachine(), 0));
        Thread.currentThread().join();
    }

    /** On the other one. */
    static OtherMachine find(String address) {
        return await("the other machine's answer")
                .atMost(BOUND)
                .pollInterval(Duration.ofMillis(200))
                .ignoreExceptionsMatching(
                        e -> e instanceof RemoteException || e instanceof NotBoundException)
                .until(
                        () -> (OtherMachine) LocateRegistry.getRegistry(address).lookup(NAME),
                        found -> true);
    }

    @Override
    public void write(String path, String text) {
        try {
            Files.createDirectories(Path.of(path).getParent());
            Files.writeString(Path.of(path), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void serve(String part, String command) {
        Path directory = Path.of(part).getParent();
        Path start = directory.resolve("start-agent");
        replica = new ReplicaHere(machines, Path.of(part));
        write(
                start.toString(),
                "#!/bin/sh\ncd %1$s && exec 2>>%1$s/agent.err && exec %2$s\n"
                        .formatted(directory, command));
        try {
            Files.setPosixFilePermissions(start, PosixFilePermissions.fromString("rwx------"));
            Process unused =
                    new ProcessBuilder(
                                    "busybox",
                                    "nc",
                                    "-ll",
                                    "-p",
                                    Integer.toString(AGENT_PORT),
                                    "-e",
                                    start.toString())
                            .inheritIO()
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long agent() throws RemoteException {
        return replica.agent();
    }

    @Override
    public void kill(long agent) throws RemoteException {
        replica.kill(agent);
    }

    @Override
    public boolean hasEnded(long agent) throws RemoteException {
        return replica.hasEnded(agent);
    }

    @Override
    public Epochs epochs() throws RemoteException {
        return replica.epochs();
    }

    @Override
    public String state() throws RemoteException {
        return replica.state();
    }

    @Override
    public String stateWithoutBlocks() throws RemoteException {
        return replica.stateWithoutBlocks();
    }

    @Override
    public Alone promoteCopy(long seed, int threads) throws RemoteException {
        return replica.promoteCopy(seed, threads);
    }
}
