package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages as a site: none is left out, no link leads nowhere, nothing comes from elsewhere. */
class DocumentationSiteTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path SITE = ROOT.resolve("docs-site/mkdocs.yml");
    private static final Path MKDOCS = Path.of("/usr/bin/mkdocs");
    private static final Pattern IN_MENU = Pattern.compile("(?m)^ +- ([\\w-]+\\.md)$");
    private static final Pattern LINK = Pattern.compile("href=\"([^\":#]*)(#[^\"]*)?\"");
    private static final Pattern ID = Pattern.compile("id=\"([^\"]*)\"");

    /** What a browser loads by itself. */
    private static final Pattern LOADED =
            Pattern.compile("<(?:script|img|link)\\b[^>]*(?:src|href)=\"((?:https?:)?//[^\"]*)\"");

    @Test
    void theMenuHasEachPage() throws IOException {
        List<String> menu =
                IN_MENU.matcher(Files.readString(SITE)).results().map(one -> one.group(1)).toList();
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            List<String> there =
                    pages.map(page -> page.getFileName().toString())
                            .filter(name -> name.endsWith(".md"))
                            .toList();
            assertThat(menu).containsExactlyInAnyOrderElementsOf(there);
        }
    }

    @Test
    void itsLinksLeadSomewhereAndItLoadsNothingFromElsewhere(@TempDir Path site) throws Exception {
        boolean isThere = Files.isExecutable(MKDOCS);
        String missing = "no mkdocs is installed (apt-get install mkdocs mkdocs-material)";
        if (System.getenv("CI") != null) {
            assertThat(isThere).as(missing).isTrue();
        }
        Assumptions.assumeTrue(isThere, missing);
        build(site);
        Map<Path, String> pages = pages(site);
        assertThat(pages)
                .containsKeys(site.resolve("index.html"), site.resolve("tree/CONTRIBUTING.html"));
        Map<Path, Set<String>> ids = new TreeMap<>();
        pages.forEach((path, page) -> ids.put(path, found(ID, page)));
        List<String> wrong = new ArrayList<>();
        pages.forEach(
                (path, page) -> {
                    found(LOADED, page).forEach(one -> wrong.add(path + " loads " + one));
                    LINK.matcher(page)
                            .results()
                            .filter(link -> leadsNowhere(path, link, ids))
                            .forEach(link -> wrong.add(path + " names " + link.group()));
                });
        assertThat(wrong).isEmpty();
        assertThat(site.resolve("search/search_index.json")).isNotEmptyFile();
    }

    private static void build(Path site) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                MKDOCS.toString(),
                                "build",
                                "--strict",
                                "-f",
                                SITE.toString(),
                                "-d",
                                site.toString())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** Without the one for what is not there, whose links begin where the site is installed. */
    private static Map<Path, String> pages(Path site) throws IOException {
        Map<Path, String> pages = new TreeMap<>();
        try (Stream<Path> files = Files.walk(site)) {
            for (Path file : files.filter(one -> one.toString().endsWith(".html")).toList()) {
                if (!file.endsWith("404.html")) {
                    pages.put(file, Files.readString(file));
                }
            }
        }
        return pages;
    }

    private static Set<String> found(Pattern pattern, String page) {
        return pattern.matcher(page).results().map(one -> one.group(1)).collect(Collectors.toSet());
    }

    private static boolean leadsNowhere(Path page, MatchResult link, Map<Path, Set<String>> ids) {
        Path to = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
        String section = link.group(2);
        if (section == null || section.equals("#")) {
            return !Files.exists(to);
        }
        return !ids.getOrDefault(to, Set.of()).contains(section.substring(1));
    }
}
