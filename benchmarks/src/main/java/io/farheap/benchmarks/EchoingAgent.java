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
 * The agent as it always runs, in a process that also echoes bytes: so that a raw round trip has
 * the same two processes at its ends as a commit.
 */
public final class EchoingAgent {
    private EchoingAgent() {}

    /** Options: the agent's. */
    public static void main(String[] args) throws IOException {
        EchoServer server = new EchoServer(Site.waiting());
        Path port = Site.ofParent().echoPort();
        Path complete = Files.writeString(port.resolveSibling("echo.tmp"), "" + server.port());
        Path unused = Files.move(complete, port, StandardCopyOption.REPLACE_EXISTING);
        server.start();
        List<String> agent = new ArrayList<>(List.of("agent"));
        agent.addAll(Arrays.asList(args));
        Main.main(agent.toArray(String[]::new));
    }
}
