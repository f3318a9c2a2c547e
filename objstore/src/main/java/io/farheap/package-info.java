/** What programs use: pools, transactions, references, locks, options and errors. */
package io.farheap;
