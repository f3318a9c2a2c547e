/** Types of the program and of the pool: what is stored, how, and how the two fit together. */
package io.farheap.objects.type;
