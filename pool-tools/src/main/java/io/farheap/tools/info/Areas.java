package io.farheap.tools.info;

import java.util.ArrayList;
import java.util.List;

/**
 * Divides a rectangle among weights, largest first, into pieces that are as square as can be
 * (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000).
 */
final class Areas {
    /** A piece, in the units of the rectangle. */
    record Area(double x, double y, double width, double height) {}

    private final List<Area> areas = new ArrayList<>();
    private double x;
    private double y;
    private double width;
    private double height;

    private Areas(double width, double height) {
        this.width = width;
        this.height = height;
    }

    /**
     * @param weights descending, each above 0
     * @return one piece for each
     */
    static List<Area> of(List<Long> weights, double width, double height) {
        Areas areas = new Areas(width, height);
        double all = weights.stream().mapToDouble(Long::doubleValue).sum();
        double scale = width * height / all;
        int first = 0;
        while (first < weights.size()) {
            int end = first + 1;
            double row = weights.get(first) * scale;
            double worst = areas.worst(row, row, row);
            while (end < weights.size()) {
                double next = weights.get(end) * scale;
                double longer = areas.worst(row + next, weights.get(first) * scale, next);
                if (longer > worst) {
                    break;
                }
                worst = longer;
                row += next;
                end++;
            }
            areas.lay(weights.subList(first, end), scale, row);
            first = end;
        }
        return areas.areas;
    }

    private double side() {
        return Math.min(width, height);
    }

    /** The longest side in proportion to the shortest of a row, by its largest and its smallest. */
    private double worst(double row, double largest, double smallest) {
        double square = side() * side();
        return Math.max(square * largest / (row * row), row * row / (square * smallest));
    }

    private void lay(List<Long> weights, double scale, double row) {
        boolean column = width >= height;
        double thickness = row / side();
        double at = 0;
        for (long weight : weights) {
            double length = weight * scale / thickness;
            areas.add(
                    column
                            ? new Area(x, y + at, thickness, length)
                            : new Area(x + at, y, length, thickness));
            at += length;
        }
        if (column) {
            x += thickness;
            width -= thickness;
        } else {
            y += thickness;
            height -= thickness;
        }
    }
}
