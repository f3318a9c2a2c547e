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
}
