/**
 * Connections with the operations of a queue pair, whatever carries them: send, write, read,
 * completions, and what makes a write durable on the target.
 */
package io.farheap.replication.fabric;
