package io.farheap.benchmarks;

import io.farheap.tools.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The agent as it always runs, in a process that also echoes bytes and takes blocks of them: so
 * that raw bytes have the same two processes at their ends as a commit.
 */
public final class EchoingAgent {
    private EchoingAgent() {}

    /** Options: the agent's. */
    public static void main(String[] args) throws IOException {
        EchoServer server = new EchoServer(Site.waiting());
        tell(Site.ofParent().echoPort(), server.port());
        server.start();
        BlockServer blocks = new BlockServer();
        tell(Site.ofParent().blockPort(), blocks.port());
        blocks.start();
        List<String> agent = new ArrayList<>(List.of("agent"));
        agent.addAll(Arrays.asList(args));
        Main.main(agent.toArray(String[]::new));
    }

    private static void tell(Path file, int port) throws IOException {
        Path complete =
                Files.writeString(file.resolveSibling(file.getFileName() + ".tmp"), "" + port);
        Path unused = Files.move(complete, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
