/** What the agent tells the target's operator: the system log, a file or standard error. */
package io.farheap.agent.log;
