package io.farheap.agent.config;

import io.farheap.base.FarheapException;

/**
 * A store that has one pool, whose term is its name; it does not answer for a pool that is down.
 */
public final class ScriptedTerms implements RecordedTerms {
    public static final String DOWN = "down";

    /** For the service loader. */
    public ScriptedTerms() {}

    @Override
    public long termOf(AskedStore asked) {
        if (asked.pool().equals(DOWN)) {
            throw FarheapException.environment("%s does not answer", asked.store());
        }
        return Long.parseLong(asked.pool());
    }
}
