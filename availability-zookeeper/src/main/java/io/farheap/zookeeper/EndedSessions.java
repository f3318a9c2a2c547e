package io.farheap.zookeeper;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The last sessions of presences that ended here: what ZooKeeper has left of them is nobody's. One
 * that is forgotten is waited for until ZooKeeper ends it.
 */
final class EndedSessions {
    private final int most;
    private final Deque<Long> sessions = new ArrayDeque<>();

    EndedSessions(int most) {
        this.most = most;
    }

    synchronized void add(long session) {
        if (sessions.size() == most) {
            sessions.removeFirst();
        }
        sessions.addLast(session);
    }

    synchronized boolean contains(long session) {
        return sessions.contains(session);
    }
}
