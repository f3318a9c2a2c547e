/** What every floor shares: the errors, and values that go through more than one of them. */
package io.farheap.base;
