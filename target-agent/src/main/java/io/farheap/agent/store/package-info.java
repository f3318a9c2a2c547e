/**
 * What an open replica holds: slot, image and records, how each moves and what it may become; how
 * its readers keep out of the way, and its figures. Knows no file.
 */
package io.farheap.agent.store;
