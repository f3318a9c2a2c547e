/**
 * What the target's operator sets: the agent's command line and configuration files, who may do
 * what, and the store that is asked for the term of a writer.
 */
package io.farheap.agent.config;
