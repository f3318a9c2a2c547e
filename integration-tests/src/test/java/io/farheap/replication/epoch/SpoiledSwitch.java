package io.farheap.replication.epoch;

import io.farheap.availability.SpoiledRecord;
import java.lang.reflect.Field;
import java.util.List;

/** What broken rules make of the recorded step of a switch. */
final class SpoiledSwitch {
    private SpoiledSwitch() {}

    /** Not when a copy is lost, or joins. */
    static void onlyAtOpen(
            RecordedStep step, long number, List<ReplicaTracker> members, SwitchMode mode)
            throws InterruptedException {
        if (!mode.poolIsOpen()) {
            step.record(number, members);
        }
    }

    /** Not when the pool is opened. */
    static void onlyInRun(
            RecordedStep step, long number, List<ReplicaTracker> members, SwitchMode mode)
            throws InterruptedException {
        if (mode.poolIsOpen()) {
            step.record(number, members);
        }
    }

    /** When a copy is lost, or joins, it is asked whether this is the writer still. */
    static void asksInRun(
            RecordedStep step, long number, List<ReplicaTracker> members, SwitchMode mode)
            throws InterruptedException {
        if (!mode.poolIsOpen()) {
            step.record(number, members);
            return;
        }
        try {
            Field field = RecordedStep.class.getDeclaredField("recorder");
            field.setAccessible(true);
            SpoiledRecord.requireStillWriter((SwitchRecorder) field.get(step));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
