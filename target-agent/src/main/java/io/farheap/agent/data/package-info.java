/**
 * The data connection of one session: over which fabric, at which address, into which memory and
 * made durable by what; the thread that answers its messages and those beside it.
 */
package io.farheap.agent.data;
