package io.farheap.it.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands in for ssh as a process of its own: carries the agent's standard streams, or forwards a
 * port ({@code -N -L}), until a file says that the cable is cut: then it swallows what comes, both
 * ways, and nobody is told of the end of a connection either.
 */
final class SshProxy {
    private static final int CHUNK = 1 << 16;
    private static final long PAUSE_NANOS = 10_000_000;

    private final Path machines;
    private final Path cut;

    private SshProxy(Path machines, Path cut) {
        this.machines = machines;
        this.cut = cut;
    }

    /** Arguments: the machines' directory, the file that cuts the cable, then those of ssh. */
    public static void main(String[] args) throws IOException, InterruptedException {
        SshProxy proxy = new SshProxy(Path.of(args[0]), Path.of(args[1]));
        List<String> words = List.of(args).subList(2, args.length);
        int forward = words.indexOf("-L");
        if (forward >= 0) {
            proxy.forward(words.get(forward + 1));
        } else {
            int last = words.size() - 1;
            System.exit(proxy.command(words.get(last - 1), words.get(last)));
        }
    }

    private int command(String host, String command) throws IOException, InterruptedException {
        if (Files.exists(machines.resolve(host).resolve("down"))) {
            System.err.println("ssh: connect to host " + host + ": No route to host");
            return 255;
        }
        Process process =
                new ProcessBuilder("sh", "-c", command)
                        .directory(machines.resolve(host).toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        carry(System.in, process.getOutputStream());
        Thread back = carry(process.getInputStream(), System.out);
        back.join();
        return process.waitFor();
    }

    /** {@code ADDRESS:PORT:HOST:HOSTPORT}, without brackets. */
    private void forward(String specification) throws IOException {
        String[] words = specification.split(":");
        try (ServerSocket entrance =
                new ServerSocket(Integer.parseInt(words[1]), 8, InetAddress.getByName(words[0]))) {
            while (true) {
                join(entrance.accept(), words[2], Integer.parseInt(words[3]));
            }
        }
    }

    private void join(Socket client, String host, int port) throws IOException {
        try {
            Socket target = new Socket(InetAddress.getByName(host), port);
            client.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
            Thread unused = carry(client.getInputStream(), target.getOutputStream());
            unused = carry(target.getInputStream(), client.getOutputStream());
        } catch (ConnectException e) {
            client.close(); // as ssh does: the channel can't be opened
        }
    }

    private Thread carry(InputStream from, OutputStream to) {
        Thread thread = new Thread(() -> pump(from, to));
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void pump(InputStream from, OutputStream to) {
        byte[] chunk = new byte[CHUNK];
        try (to) {
            for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                if (!Files.exists(cut)) {
                    to.write(chunk, 0, n);
                    to.flush();
                }
            }
            awaitCable();
        } catch (IOException e) {
            System.err.println("ssh: " + e.getMessage());
        }
    }

    private void awaitCable() {
        while (Files.exists(cut)) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }
}
