/**
 * The session with one initiator: greeting, requests in their order, the right to one replica and
 * how that is found, made or opened; heartbeats and the end.
 */
package io.farheap.agent.session;
