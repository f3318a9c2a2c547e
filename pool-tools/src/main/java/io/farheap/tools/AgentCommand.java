package io.farheap.tools;

import io.farheap.agent.Agent;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Hands the process over to the agent, whose options are rpmemd's and parsed by itself. */
@Command(
        name = "agent",
        description =
                "Serves a program on another machine that keeps a replica here; started by the"
                        + " program itself, through ssh. Options: farheap agent --help.")
final class AgentCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", hidden = true)
    private final List<String> options = new ArrayList<>();

    /** Whether these words are an agent's, and none of them names a file of words. */
    static boolean isMeantBy(List<String> words) {
        return !words.isEmpty()
                && words.get(0).equals("agent")
                && words.stream().noneMatch(word -> word.startsWith("@"));
    }

    /**
     * The same without picocli, which takes a third of the time that an agent needs until it
     * answers.
     */
    static int serve(List<String> words) {
        AgentCommand agent = new AgentCommand();
        agent.options.addAll(words.subList(1, words.size()));
        return agent.call();
    }

    @Override
    public Integer call() {
        // Whatever prints to standard output must not get between the control messages.
        FileOutputStream control = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        return Agent.run(options.toArray(String[]::new), System.in, control, System.err);
    }
}
