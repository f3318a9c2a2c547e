/** What several modules' own tests share; programs do not see it. */
package io.farheap.testing.support;
