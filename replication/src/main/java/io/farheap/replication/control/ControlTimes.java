package io.farheap.replication.control;

import java.time.Duration;

/**
 * The bounds of a control connection.
 *
 * @param connect until the agent's greeting
 * @param work until an answer, while the agent is alive
 * @param heartbeat interval of heartbeats, both ways
 */
public record ControlTimes(Duration connect, Duration work, Duration heartbeat) {
    /** How long the agent may be silent. */
    Duration silence() {
        return heartbeat.multipliedBy(Limits.MISSED_HEARTBEATS);
    }

    /**
     * The same while an answer is waited for: one that starts on a busy machine is slow to beat.
     */
    Duration silenceAtWork() {
        return connect.compareTo(silence()) > 0 ? connect : silence();
    }
}
