/** Transactions and reads of typed objects: as if each were alone (docs/objects.md). */
package io.farheap.objects.transaction;
