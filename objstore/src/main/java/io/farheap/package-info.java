/** What programs use every day: pools, transactions, options. */
package io.farheap;
