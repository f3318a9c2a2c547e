/**
 * The control connection between an initiator and the agent of a replica: JSON messages, one a
 * line, on the standard streams of the agent, which a remote shell command starts.
 */
package io.farheap.replication.control;
