/** Which machines get the copies of a pool: planned from what is known, and nothing done. */
package io.farheap.tools.placement;
