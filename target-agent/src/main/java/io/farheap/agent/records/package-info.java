/**
 * The records in a journal's ring: taken in and made durable, which of them count, what they may
 * change, and that changed in the image.
 */
package io.farheap.agent.records;
