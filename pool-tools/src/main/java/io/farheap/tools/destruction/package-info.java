/**
 * What the commands share that remove or overwrite copies: they show what each copy holds, ask, and
 * refuse to remove data that no other copy has unless the user names that copy.
 */
package io.farheap.tools.destruction;
