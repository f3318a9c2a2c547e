package io.farheap.it.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All that people write in the project: sources, pages, builds, scripts and samples. */
final class ProjectText {
    private static final Path ROOT = Path.of("..");

    /** Where the Debian package has the pages. */
    private static final String INSTALLED = "file:///usr/share/doc/farheap/";

    /** The name that the site gives the README, and where that is said. */
    private static final String FIRST_OF_SITE = "index";

    private static final Path SITE = ROOT.resolve("docs-site");
    private static final Pattern WRITTEN =
            Pattern.compile(
                    ".*\\.(java|kt|md|xml|yml|yaml|c|h|py|sh|css|html|conf|set|in|service|sysusers"
                            + "|properties|flags|logrotate)"
                            + "|.*/(run|types|times|counts|newcomer|staged|reproducible|build|farheap"
                            + "|rdma-lab|guest-\\w+|Dockerfile|control|NOTICE|\\.gitignore)");

    /** Recorded inputs, names for services, words of others; and what is left by tools. */
    private static final Pattern NOT_PROSE =
            Pattern.compile(
                    ".*\\.(gz|json|png|txt|tsv|iml|class)|.*/(LICENSE|\\.git|META-INF/services/.*"
                            + "|\\w+Inputs/.*|\\.build\\.lock|hs_err_pid.*|crash-.*|slow-unit-.*)");

    private static final Set<String> NOT_WRITTEN =
            Set.of(".git", "target", ".idea", ".vscode", ".settings", ".cifuzz-corpus", "ext");
    private static final Pattern COMMENT =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*");
    private static final Pattern NEXT_COMMENT_LINE =
            Pattern.compile("[ \t]*\n[ \t]*(?:\\*|//)?[ \t]*");
    private static final Pattern TYPE =
            Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*?) *$");
    private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");

    private final Map<Path, String> files = new HashMap<>();
    private final List<Path> unread = new ArrayList<>();
    private final Map<String, List<Path>> types = new HashMap<>();

    ProjectText() throws IOException {
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        return NOT_WRITTEN.contains(directory.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (WRITTEN.matcher(file.toString()).matches()) {
                            files.put(file, text(file));
                        } else if (!NOT_PROSE.matcher(file.toString()).matches()) {
                            unread.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        files.forEach(
                (file, text) -> {
                    if (isJava(file)) {
                        Matcher type = TYPE.matcher(text);
                        while (type.find()) {
                            types.computeIfAbsent(type.group(1), name -> new ArrayList<>())
                                    .add(file);
                        }
                    }
                });
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isJava(Path file) {
        return file.toString().endsWith(".java");
    }

    Set<Path> files() {
        return files.keySet();
    }

    /** Files of kinds that nobody has said anything of: whether people write prose there. */
    List<Path> unread() {
        return unread;
    }

    /** Of a source: its comments, each in one line. Of all else: the whole. */
    String prose(Path file) {
        String text = files.get(file);
        if (!isJava(file) && !file.toString().endsWith(".kt")) {
            return text;
        }
        StringBuilder prose = new StringBuilder();
        Matcher comment = COMMENT.matcher(text);
        while (comment.find()) {
            prose.append(NEXT_COMMENT_LINE.matcher(comment.group()).replaceAll(" ")).append('\n');
        }
        return prose.toString();
    }

    String whole(Path file) {
        return files.get(file);
    }

    /** README.md and its like, and what lies in docs. */
    List<Path> pages() {
        return files.keySet().stream()
                .filter(file -> file.toString().endsWith(".md"))
                .sorted()
                .toList();
    }

    /** The sources that declare a type of that simple name; none: there is no such type. */
    List<Path> sourcesOf(String type) {
        return types.getOrDefault(type, List.of());
    }

    /** The page that a citation in {@code from} means; null: it is not in the tree. */
    static Path page(Path from, String cited) {
        Path directory = from.getParent();
        if (cited.startsWith(INSTALLED)) {
            return page(from, cited.substring(INSTALLED.length()));
        }
        if (cited.equals(FIRST_OF_SITE + ".md") && directory.equals(SITE)) {
            return page(from, "README.md");
        }
        for (Path base : List.of(directory, ROOT, ROOT.resolve("docs"))) {
            Path page = base.resolve(cited).normalize();
            if (Files.exists(page)) {
                return page;
            }
        }
        return null;
    }

    /** The anchors of a page's headings, as a browser of repositories makes them. */
    static Set<String> anchors(Path page) {
        Set<String> anchors = new HashSet<>();
        Matcher heading = HEADING.matcher(FENCED.matcher(text(page)).replaceAll(""));
        while (heading.find()) {
            String words =
                    heading.group(1)
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^\\p{L}\\p{N} _-]", "")
                            .replace(' ', '-');
            int copies = 1;
            for (String anchor = words; !anchors.add(anchor); anchor = words + "-" + copies++) {
                assert copies < 100;
            }
        }
        return anchors;
    }
}
