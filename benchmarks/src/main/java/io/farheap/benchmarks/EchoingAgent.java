package io.farheap.benchmarks;

import io.farheap.tools.Main;
import java.io.IOException;
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
        BlockServer blocks = new BlockServer();
        new AgentPorts(server.port(), blocks.port())
                .tell(Site.ofParent().directory(), ProcessHandle.current().pid());
        server.start();
        blocks.start();
        List<String> agent = new ArrayList<>(List.of("agent"));
        agent.addAll(Arrays.asList(args));
        Main.main(agent.toArray(String[]::new));
    }
}
