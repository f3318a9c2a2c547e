package io.farheap.simulation.engine;

import java.util.ArrayList;
import java.util.List;

/** A simulated machine: its processes, its clock, and whatever its disk is. */
public final class Machine {
    private final String name;
    private final List<SimProcess> processes = new ArrayList<>();
    private long clockOffset;
    private long wallOffset;
    private boolean up = true;
    private Object disk;
    private Object services;

    /** A machine that is up and runs nothing. */
    public Machine(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** Those that live. */
    public List<SimProcess> processes() {
        return processes;
    }

    /** Where {@code System.nanoTime} begins here. */
    public long clockOffset() {
        return clockOffset;
    }

    /** Sets where {@code System.nanoTime} begins; before anything runs here. */
    public void setClockOffset(long nanos) {
        clockOffset = nanos;
    }

    long wallOffset() {
        return wallOffset;
    }

    /** Somebody sets the clock on the wall, forward or back. */
    public void jumpWallClock(long millis) {
        wallOffset += millis;
    }

    public boolean isUp() {
        return up;
    }

    /** Switches it on or off; its processes must be dead by then. */
    public void setUp(boolean isUp) {
        up = isUp;
    }

    /** What it stores on. */
    public <T> T disk(Class<T> type) {
        return type.cast(disk);
    }

    public void setDisk(Object newDisk) {
        disk = newDisk;
    }

    /** What its processes find there besides; null: nothing. */
    public <T> T services(Class<T> type) {
        return type.cast(services);
    }

    public void setServices(Object found) {
        services = found;
    }
}
