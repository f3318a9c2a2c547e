package io.farheap.simulation.net;

/** One direction of a connection: what is sent arrives in its order. */
final class Wire {
    private final Link link;
    private final boolean toTarget;
    private long last;

    /** What is sent at this time or later is lost. */
    private long end = Long.MAX_VALUE;

    /**
     * @param toTarget or else to the initiator
     */
    Wire(Link link, boolean toTarget) {
        this.link = link;
        this.toTarget = toTarget;
    }

    /** Sends; the action runs on arrival, unless that is lost. */
    void send(Runnable arrived) {
        last = Math.max(last + 1, toTarget ? link.arrivalOfRequest() : link.arrivalOfAnswer());
        long time = last;
        var unused =
                link.world()
                        .at(
                                time,
                                () -> {
                                    if (time < end) {
                                        arrived.run();
                                    }
                                });
    }

    /** Some of what is on its way, the later part, does not arrive; nor does anything after it. */
    void loseSome() {
        long now = link.world().now();
        long span = Math.max(1, last - now + 2);
        end = Math.min(end, now + link.world().random().nextLong(span));
    }

    /** Nothing arrives any more. */
    void loseAll() {
        end = Math.min(end, link.world().now());
    }
}
