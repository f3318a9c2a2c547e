/** What {@code farheap info} shows: one walk over the facts, written as text or as JSON. */
package io.farheap.tools.info;
