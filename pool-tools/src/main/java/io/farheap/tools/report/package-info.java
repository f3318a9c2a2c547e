/** How commands say what they found: as text for people, or as JSON. */
package io.farheap.tools.report;
