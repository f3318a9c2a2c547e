/**
 * A replica's files: which they are, opening and creating them, looking at them without a change,
 * deleting them, and taking over what a former writer's program left.
 */
package io.farheap.agent.replica;
