/**
 * Who has a replica: the lock file beside it, how whoever has it is ended or lets it go, and the
 * other sessions of one process.
 */
package io.farheap.agent.lock;
