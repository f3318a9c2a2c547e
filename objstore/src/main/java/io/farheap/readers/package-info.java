/** What the readers of a replica and the agent that applies to it share: one small mapped file. */
package io.farheap.readers;
