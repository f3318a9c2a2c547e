package io.farheap.it.failover;

import io.farheap.availability.coordinator.Coordinator;
import java.io.IOException;
import java.util.List;

/** Three servers of one store, as processes of this machine. */
public interface StoreServers extends AutoCloseable {
    /** As programs are told it. */
    default String address() {
        return through(clientPorts());
    }

    /** The same store through other ports of this machine. */
    String through(List<Integer> ports);

    /** Where each listens for clients. */
    List<Integer> clientPorts();

    /** A client of its own. */
    Coordinator connect();

    /** Which one leads, as one that is asked sees it. */
    int leader() throws IOException;

    ProcessHandle process(int server);

    /** As with kill -9. */
    void kill(int server) throws InterruptedException;

    /** Starts one again that was killed. */
    void start(int server) throws IOException;

    @Override
    void close() throws InterruptedException;
}
