package io.farheap.tools.report;

import java.io.PrintWriter;

/**
 * Where a command speaks.
 *
 * @param out its standard output
 * @param err its standard error
 * @param colours whether standard output shows them
 */
public record Console(PrintWriter out, PrintWriter err, boolean colours) {}
