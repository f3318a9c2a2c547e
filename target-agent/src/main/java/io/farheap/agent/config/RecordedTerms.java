package io.farheap.agent.config;

import io.farheap.base.FarheapException;

/**
 * Reads, in a store, in which term a pool is written (docs/high-availability.md#ask-after-start).
 * Found as a service, so that an agent needs no client of a store where it asks none.
 */
public interface RecordedTerms {
    /**
     * @param asked which pool of which store
     * @return 0 where there is no record of the pool
     * @throws FarheapException WRONG_USE when the store or the pool can't be named so, ENVIRONMENT
     *     when the store does not answer or a file can't be read
     */
    long termOf(AskedStore asked);
}
