package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page as a browser understands it, where Debian's Chromium is installed. */
@Timeout(300)
class ReportInBrowserTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

    @TempDir Path dir;

    private String shown(Path page) throws Exception {
        Path dom = dir.resolve("dom");
        Process browser =
                new ProcessBuilder(
                                List.of(
                                        CHROMIUM.toString(),
                                        "--headless",
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--disable-dev-shm-usage",
                                        "--user-data-dir=" + dir.resolve("profile"),
                                        "--dump-dom",
                                        page.toUri().toString()))
                        .redirectOutput(dom.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            assertThat(browser.waitFor(200, TimeUnit.SECONDS)).isTrue();
        } finally {
            Process unused = browser.destroyForcibly();
        }
        return Files.readString(dom);
    }

    private static String text(String dom, String id) {
        Matcher element = Pattern.compile("id=\"" + id + "\">([^<]*)<").matcher(dom);
        assertThat(element.find()).as(id).isTrue();
        return element.group(1);
    }

    /** Of "1.2 KiB (1,234)", or "1 KiB" where that is all of it. */
    private static long bytes(String shown) {
        Matcher size = Pattern.compile("([0-9.]+) (B|KiB|MiB)(?: \\(([0-9,]+)\\))?").matcher(shown);
        assertThat(size.matches()).as(shown).isTrue();
        if (size.group(3) != null) {
            return Long.parseLong(size.group(3).replace(",", ""));
        }
        int shift = "MiB".equals(size.group(2)) ? 20 : "KiB".equals(size.group(2)) ? 10 : 0;
        return Long.parseLong(size.group(1)) << shift;
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    @Test
    void itsNumbersAreThoseOfInfo() throws Exception {
        boolean isThere = Files.isExecutable(CHROMIUM);
        String missing = "no Chromium is installed (apt-get install chromium)";
        if (System.getenv("CI") != null) {
            assertThat(isThere).as(missing).isTrue();
        }
        Assumptions.assumeTrue(isThere, missing);
        Path pool = dir.resolve("a.pool");
        try (ObjectPool made = ObjectPool.at(pool).layout("<b>&").size(16 << 20).create()) {
            Ref root = made.root(64);
            made.transaction(
                    tx -> {
                        for (int i = 0; i < 1234; i++) {
                            tx.setRef(root, 0, tx.allocate(100, 7L + i % 2));
                        }
                    });
        }
        Path page = dir.resolve("a.html");
        Run.farheap("report", "-o", page, pool).succeeded();
        JsonNode info =
                new ObjectMapper()
                        .readTree(Run.farheap("info", "--json", "-s", pool).succeeded().out())
                        .get("statistics");
        String dom = shown(page);
        assertThat(text(dom, "objects"))
                .isEqualTo(grouped(info.at("/objects/numberOfObjects").asLong()));
        assertThat(bytes(text(dom, "object-bytes")))
                .isEqualTo(info.at("/objects/numberOfBytes").asLong());
        assertThat(bytes(text(dom, "largest-free")))
                .isEqualTo(info.at("/heap/largestFreeBlock").asLong());
        for (JsonNode type : info.at("/objectsByType")) {
            assertThat(dom).contains(grouped(type.get("numberOfObjects").asLong()));
        }
        assertThat(info.at("/objectsByType")).hasSizeGreaterThan(1);
        assertThat(dom).contains("<svg", "&lt;b&gt;&amp;").doesNotContain("parsererror");
        assertThat(Pattern.compile("<rect").matcher(dom).results().count()).isGreaterThan(20);
    }
}
