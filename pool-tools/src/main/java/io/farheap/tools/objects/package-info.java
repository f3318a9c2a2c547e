/**
 * The commands for pools of typed objects. They read the pool's type table and need no class of the
 * program.
 */
package io.farheap.tools.objects;
