/**
 * A replica's journal: the file or device that has it, how it is made, opened, mapped and given
 * back, and its slot and ring in memory.
 */
package io.farheap.agent.journal;
