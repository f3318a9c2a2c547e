package io.farheap.it.typed;

import io.farheap.base.FarheapException;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The program of {@link TypedBank}: threads that commit, and say so, until it is killed or told to
 * close. Arguments: pool, seed, threads. What it is told and tells is a part of what {@code
 * LoadProgram} does: go, close; found, open, ack, closed, failed.
 */
final class TypedBankProgram {
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private volatile boolean ends;

    private TypedBankProgram() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        TypedBankProgram program = new TypedBankProgram();
        try {
            program.run(Path.of(args[0]), Long.parseLong(args[1]), Integer.parseInt(args[2]));
        } catch (FarheapException e) {
            program.tell("failed " + e.getMessage());
            System.exit(1);
        }
    }

    private void run(Path set, long seed, int threads) throws IOException, InterruptedException {
        BufferedReader told =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (TypedBank bank = TypedBank.open(set, seed, threads)) {
            for (int thread = 0; thread < threads; thread++) {
                tell("found " + thread + " " + bank.number(thread));
            }
            tell("open 0");
            List<Thread> running = new ArrayList<>();
            if ("go".equals(told.readLine())) {
                for (int t = 0; t < threads; t++) {
                    int thread = t;
                    running.add(Thread.ofPlatform().start(() -> work(bank, thread)));
                }
                String unused = told.readLine();
            }
            ends = true;
            for (Thread thread : running) {
                thread.join();
            }
        }
        tell("closed");
    }

    private void work(TypedBank bank, int thread) {
        try {
            while (!ends) {
                tell("ack " + thread + " " + bank.commit(thread));
            }
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            tell("failed " + e);
            Runtime.getRuntime().halt(2);
        }
    }

    /** One write, so that a kill leaves the whole line in the pipe or nothing of it. */
    private synchronized void tell(String line) {
        try {
            out.write((line.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
