/**
 * What commands share that remove or overwrite copies: they say what each copy holds, ask, and
 * refuse to lose what no other copy has unless that copy is named.
 */
package io.farheap.tools.destruction;
