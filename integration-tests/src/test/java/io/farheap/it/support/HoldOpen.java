package io.farheap.it.support;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Path;

/** Creates a pool, says so, and has it open until it is ended. */
public final class HoldOpen {
    private HoldOpen() {}

    public static void main(String[] args) throws IOException {
        try (ObjectPool pool = ObjectPool.create(Path.of(args[0]), "held")) {
            pool.root(64);
            System.out.println("open");
            int unused = System.in.read();
        }
    }
}
