/**
 * What several modules' own tests share; programs do not see it. What needs more than objstore,
 * such as agents, is in the {@code src/contract} of the module that it is about.
 */
package io.farheap.testing.support;
