/**
 * The commands for pools of typed objects, by their type tables: no class of a program is needed.
 */
package io.farheap.tools.objects;
