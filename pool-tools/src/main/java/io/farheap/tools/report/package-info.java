/** Output of commands: text for people, or JSON. */
package io.farheap.tools.report;
