package io.farheap.tools.info;

import io.farheap.heap.HeapWalk.Block;
import io.farheap.heap.HeapWalk.Zone;
import java.util.ArrayList;
import java.util.List;

/**
 * A picture of one zone, a character for one chunk, or for several in a large zone: free, an object
 * of its own, or how full a run is.
 */
final class HeapMapPicture {
    static final String LEGEND =
            "cells: . free  # one large object  0-9 tenths of a run in use  ? can't be read";

    private static final int WIDTH = 64;
    private static final int MOST_ROWS = 32;
    private static final String GREY = "\u001b[90m";
    private static final String BLUE = "\u001b[34m";
    private static final String GREEN = "\u001b[32m";
    private static final String YELLOW = "\u001b[33m";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    private final boolean colours;
    private final ZoneCells cells;

    HeapMapPicture(Zone zone, boolean colours) {
        this.colours = colours;
        cells = new ZoneCells(zone, WIDTH * MOST_ROWS);
    }

    void add(Block block) {
        cells.add(block);
    }

    List<String> rows() {
        Zone zone = cells.zone();
        if (!zone.initialised()) {
            return List.of(
                    "zone "
                            + zone.index()
                            + ": "
                            + zone.possibleChunks()
                            + " chunks of 256 KiB, none was ever used");
        }
        List<String> rows = new ArrayList<>();
        rows.add(
                "zone "
                        + zone.index()
                        + ": "
                        + zone.chunks()
                        + " chunks of 256 KiB, "
                        + cells.chunksPerCell()
                        + (cells.chunksPerCell() == 1
                                ? " to a cell"
                                : " to a cell: tenths in use"));
        for (int first = 0; first < cells.count(); first += WIDTH) {
            StringBuilder row =
                    new StringBuilder(String.format("%7d ", first * cells.chunksPerCell()));
            String last = "";
            for (int cell = first; cell < Math.min(first + WIDTH, cells.count()); cell++) {
                char letter = letter(cell);
                String colour = colours ? colour(letter) : "";
                row.append(colour.equals(last) ? "" : colour).append(letter);
                last = colour;
            }
            rows.add(row.append(colours ? PLAIN : "").toString());
        }
        return rows;
    }

    private char letter(int cell) {
        if (!cells.isKnown(cell)) {
            return '?';
        }
        double share = cells.share(cell);
        if (!cells.hasRuns(cell) && share == 0) {
            return '.';
        }
        if (!cells.hasRuns(cell) && share == 1) {
            return '#';
        }
        // What is hardly used is not shown as unused, and only what is full as full.
        return (char) ('0' + Math.min(9, (int) Math.ceil(share * 9)));
    }

    private static String colour(char letter) {
        return switch (letter) {
            case '.' -> GREY;
            case '#' -> BLUE;
            case '?' -> RED;
            case '8', '9' -> YELLOW;
            default -> GREEN;
        };
    }
}
