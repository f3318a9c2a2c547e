package io.farheap.availability.coordinator;

/** Three servers of one store, which a test stops and kills. */
public interface StoreProcesses {
    /** Which one leads, as one that is asked sees it. */
    int leader() throws Exception;

    /** As SIGSTOP does. */
    void stop(int server) throws Exception;

    void goOn(int server) throws Exception;

    /** As SIGKILL does. */
    void kill(int server) throws Exception;

    /** Starts one again that was killed. */
    void start(int server) throws Exception;
}
