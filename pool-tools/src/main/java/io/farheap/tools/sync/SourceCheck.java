package io.farheap.tools.sync;

import io.farheap.base.CheckReport;
import io.farheap.check.PoolCheck;
import io.farheap.pool.PoolInspection;

/**
 * Looks into the local replicas that others might be made from: headers that are right don't show
 * that what they stand before is.
 */
public final class SourceCheck {
    private SourceCheck() {}

    /**
     * What was found, with replicas whose content is damaged shown as such; the same object where
     * none is.
     */
    public static PoolInspection of(PoolInspection found) {
        PoolInspection examined = found;
        for (int r = 0; r < found.replicas().size(); r++) {
            if (found.isHealthy(r)) {
                CheckReport report = PoolCheck.ofReplica(found.poolSet(), r);
                if (!report.isConsistent()) {
                    examined = examined.withDamage(r, sentence(report));
                }
            }
        }
        return examined;
    }

    /** What is wrong, for a report that says that something is. */
    static String sentence(CheckReport report) {
        return "its content is damaged: "
                + report.inconsistencies().get(0)
                + (report.count() == 1 ? "" : ", and " + (report.count() - 1) + " more");
    }
}
