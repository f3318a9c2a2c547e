package io.farheap.agent.service;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * Metrics in the text format that Prometheus reads, version 0.0.4, without times of samples: as the
 * textfile collector of its node exporter wants them (docs/monitoring.md).
 */
public final class PrometheusText {
    /** What every such text of Farheap begins with. */
    public static final String BEGIN = "# HELP farheap_";

    private final StringBuilder text = new StringBuilder();
    private String family;

    /** The samples from here on are of this metric, whose values go up and down. */
    public void gauge(String name, String help) {
        begin(name, help, "gauge");
    }

    /** The same of a metric whose values grow until they begin anew. */
    public void counter(String name, String help) {
        begin(name, help, "counter");
    }

    private void begin(String name, String help, String type) {
        family = name;
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    /**
     * A value of the metric that was begun last.
     *
     * @param labels in the order in which they are written
     */
    public void sample(Map<String, String> labels, double value) {
        text.append(family)
                .append(
                        labels.entrySet().stream()
                                .map(
                                        each ->
                                                each.getKey()
                                                        + "=\""
                                                        + escaped(each.getValue())
                                                        + "\"")
                                .collect(Collectors.joining(",", "{", "} ")))
                .append(number(value))
                .append('\n');
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1L << 53
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    /** All of it. */
    @Override
    public String toString() {
        return text.toString();
    }
}
