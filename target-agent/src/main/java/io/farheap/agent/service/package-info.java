/**
 * An agent that listens: its port and who comes to it, TLS and what names are allowed to do, a
 * session for each, the metrics that it tells.
 */
package io.farheap.agent.service;
