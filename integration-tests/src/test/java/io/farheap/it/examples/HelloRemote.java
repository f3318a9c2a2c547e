package io.farheap.it.examples;

import io.farheap.remote.RemoteLane;
import io.farheap.remote.RemotePool;
import io.farheap.remote.RemotePoolAttributes;
import io.farheap.remote.RemotePoolOptions;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The hello program of remote persistent memory. Its first run creates a pool on the target, writes
 * a greeting there and prints it; each further run reads what the target has, replaces it by the
 * greeting in the other language and prints that.
 *
 * <p>Behind the header, which is the target's, the pool has 4 bytes that say which language it is,
 * and the text.
 *
 * <pre>
 * java ... io.farheap.it.examples.HelloRemote [user@]host[:port] hello.set
 * </pre>
 */
public final class HelloRemote {
    private static final long POOL_BYTES = 8192;
    private static final long HELLO = 4096;
    private static final long TEXT = HELLO + Integer.BYTES;
    private static final int HELLO_BYTES = 4 + 64;

    /** The languages, by the number that is stored. */
    private static final String[] GREETINGS = {"Hello world!", "¡Hola Mundo!"};

    private final MemorySegment memory;
    private final RemoteLane lane;

    private HelloRemote(MemorySegment memory, RemoteLane lane) {
        this.memory = memory;
        this.lane = lane;
    }

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.println(run(args[0], args[1], RemotePoolOptions.fromEnvironment()));
    }

    /** One run; returns what it prints. */
    static String run(String target, String poolset, RemotePoolOptions options) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(POOL_BYTES, 4096);
            try (RemotePool pool = create(target, poolset, memory, options)) {
                if (pool != null) {
                    return new HelloRemote(memory, pool.lane(0)).greet(0);
                }
            }
            try (RemotePool pool = RemotePool.open(target, poolset, memory, options)) {
                HelloRemote hello = new HelloRemote(memory, pool.lane(0));
                return hello.greet(1 - hello.language());
            }
        }
    }

    /** The new pool, or null where there is one already. */
    private static RemotePool create(
            String target, String poolset, MemorySegment memory, RemotePoolOptions options) {
        try {
            return RemotePool.create(
                    target, poolset, memory, RemotePoolAttributes.of("HELLO"), options);
        } catch (RefusedException e) {
            if (e.code() != Reply.Code.EXISTS) {
                throw e;
            }
            return null;
        }
    }

    /** Which language the target has. */
    private int language() {
        lane.read(memory.asSlice(HELLO), HELLO, HELLO_BYTES);
        int language = memory.get(ValueLayout.JAVA_INT_UNALIGNED, HELLO);
        if (language != 0 && language != 1 || !memory.getString(TEXT).equals(GREETINGS[language])) {
            throw new IllegalStateException("the target has something else than a greeting");
        }
        return language;
    }

    private String greet(int language) {
        memory.asSlice(HELLO, HELLO_BYTES).fill((byte) 0);
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, HELLO, language);
        memory.setString(TEXT, GREETINGS[language]);
        lane.persist(HELLO, HELLO_BYTES);
        return GREETINGS[language];
    }
}
