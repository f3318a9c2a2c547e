package io.farheap.poolset;

import io.farheap.poolset.PoolSet.Option;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Changes to the lines of a poolset file; lines that say nothing are never touched. */
final class PoolSetEdits {
    private static final String LF = "\n";

    private PoolSetEdits() {}

    static List<Line> lines(Set<Option> options, List<? extends Replica> replicas) {
        List<Line> lines = new ArrayList<>();
        lines.add(new Line(PoolSet.SIGNATURE, LF, null));
        for (Option option : Option.values()) {
            if (options.contains(option)) {
                lines.add(line(new Line.Options(List.of(option))));
            }
        }
        for (int i = 0; i < replicas.size(); i++) {
            if (i > 0 && replicas.get(i) instanceof LocalReplica) {
                lines.add(line(new Line.ReplicaStart()));
            }
            addContent(lines, replicas.get(i));
        }
        return lines;
    }

    static List<Line> appendReplica(List<Line> lines, Replica replica) {
        List<Line> edited = withFinalLineEnd(lines);
        if (replica instanceof LocalReplica) {
            edited.add(line(new Line.ReplicaStart()));
        }
        addContent(edited, replica);
        checkWritable(edited);
        return edited;
    }

    private static void addContent(List<Line> lines, Replica replica) {
        if (replica instanceof RemoteReplica remote) {
            lines.add(line(new Line.Remote(remote)));
            return;
        }
        for (Part part : ((LocalReplica) replica).parts()) {
            lines.add(line(new Line.PartLine(part)));
        }
    }

    static List<Line> removeReplica(List<Line> lines, int index) {
        List<Line> edited = new ArrayList<>();
        int replica = 0;
        for (Line line : lines) {
            if (startsReplica(line)) {
                replica++;
            }
            boolean belongs = replica == index && isReplicaContent(line);
            // The replica that becomes the master starts without a line of its own.
            boolean promoted =
                    index == 0 && replica == 1 && line.content() instanceof Line.ReplicaStart;
            if (!belongs && !promoted) {
                edited.add(line);
            }
        }
        if (index < 0 || index > replica) {
            throw new IndexOutOfBoundsException("replica " + index + " of " + (replica + 1));
        }
        return edited;
    }

    static List<Line> replacePart(List<Line> lines, int replica, int part, Part replacement) {
        List<Line> edited = new ArrayList<>(lines);
        int at = indexOfPart(lines, replica, part);
        Line old = lines.get(at);
        int comment = old.text().indexOf('#');
        String tail = comment < 0 ? "" : " " + old.text().substring(comment);
        Line.PartLine content = new Line.PartLine(replacement);
        edited.set(at, line(latin(text(content)) + tail, old.end(), content));
        checkWritable(edited);
        return edited;
    }

    static List<Line> addOption(List<Line> lines, Option option) {
        List<Line> edited = withFinalLineEnd(lines);
        edited.add(1, line(new Line.Options(List.of(option))));
        return edited;
    }

    static List<Line> removeOption(List<Line> lines, Option option) {
        List<Line> edited = new ArrayList<>();
        for (Line line : lines) {
            if (!(line.content() instanceof Line.Options names)
                    || !names.options().contains(option)) {
                edited.add(line);
                continue;
            }
            List<Option> rest = names.options().stream().filter(o -> o != option).toList();
            int comment = line.text().indexOf('#');
            String tail = comment < 0 ? "" : line.text().substring(comment);
            if (!rest.isEmpty()) {
                Line fresh = line(new Line.Options(rest));
                String text = tail.isEmpty() ? fresh.text() : fresh.text() + " " + tail;
                edited.add(new Line(text, line.end(), fresh.content()));
            } else if (!tail.isEmpty()) {
                edited.add(new Line(tail, line.end(), null));
            }
        }
        return edited;
    }

    static int indexOfReplica(List<Line> lines, int index) {
        int replica = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (startsReplica(lines.get(i))) {
                replica++;
            }
            if (replica == index && isReplicaContent(lines.get(i))) {
                return i;
            }
        }
        throw new IndexOutOfBoundsException("replica " + index + " of " + (replica + 1));
    }

    static int indexOfPart(List<Line> lines, int replica, int part) {
        int start = indexOfReplica(lines, replica);
        int found = 0;
        for (int i = start; i < lines.size(); i++) {
            if (i > start && startsReplica(lines.get(i))) {
                break;
            }
            if (lines.get(i).content() instanceof Line.PartLine && found++ == part) {
                return i;
            }
        }
        throw new IndexOutOfBoundsException("part " + part + " of replica " + replica);
    }

    private static boolean startsReplica(Line line) {
        return line.content() instanceof Line.ReplicaStart || line.content() instanceof Line.Remote;
    }

    private static boolean isReplicaContent(Line line) {
        return startsReplica(line) || line.content() instanceof Line.PartLine;
    }

    /** What is put behind the last line must not become part of it. */
    private static List<Line> withFinalLineEnd(List<Line> lines) {
        List<Line> edited = new ArrayList<>(lines);
        Line last = edited.get(edited.size() - 1);
        if (last.end().isEmpty()) {
            String end = last.text().endsWith("\r") ? "\r" + LF : LF;
            edited.set(edited.size() - 1, new Line(last.text(), end, last.content()));
        }
        return edited;
    }

    private static Line line(Line.Content content) {
        return line(latin(text(content)), LF, content);
    }

    /** A CR that belongs to the text is not taken for a part of the line end. */
    private static Line line(String text, String end, Line.Content content) {
        boolean cr = text.endsWith("\r") && end.equals(LF);
        return new Line(text, cr ? "\r" + LF : end, content);
    }

    /**
     * Refuses what a poolset file cannot say.
     *
     * @throws IllegalArgumentException for a path or address with a blank, a line end or # in it
     */
    static void checkWritable(List<Line> lines) {
        for (Line line : lines) {
            if (!isWritable(line.content())) {
                throw new IllegalArgumentException(
                        "a poolset file cannot name what has blanks, line ends or # in it: "
                                + text(line.content()));
            }
        }
    }

    private static boolean isWritable(Line.Content content) {
        if (content instanceof Line.PartLine line) {
            return isToken(line.part().path().toString());
        } else if (content instanceof Line.Remote line) {
            return isToken(line.replica().node()) && isToken(line.replica().descriptor());
        }
        return true;
    }

    private static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().noneMatch(c -> " \t\n#\0".indexOf(c) >= 0);
    }

    private static String text(Line.Content content) {
        if (content instanceof Line.Options names) {
            StringBuilder text = new StringBuilder("OPTION");
            names.options().forEach(o -> text.append(' ').append(o));
            return text.toString();
        } else if (content instanceof Line.PartLine line) {
            return (line.part().autoSize() ? "AUTO" : PartSize.format(line.part().size()))
                    + " "
                    + line.part().path();
        } else if (content instanceof Line.Remote line) {
            return "REPLICA " + line.replica();
        }
        return "REPLICA";
    }

    /** The UTF-8 bytes of a text, one per char. */
    private static String latin(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
