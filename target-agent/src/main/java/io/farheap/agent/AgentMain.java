package io.farheap.agent;

import java.io.FileDescriptor;
import java.io.FileOutputStream;

/** The agent as a program of its own. */
public final class AgentMain {
    private AgentMain() {}

    public static void main(String[] args) {
        // Whatever prints to standard output must not get between the control messages.
        FileOutputStream control = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        System.exit(Agent.run(args, System.in, control, System.err));
    }
}
