/**
 * What all packages of the agent share: why something is refused, the directory that initiators may
 * name poolsets in, the deletion of one file.
 */
package io.farheap.agent.base;
