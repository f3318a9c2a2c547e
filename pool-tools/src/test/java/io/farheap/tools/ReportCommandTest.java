package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.io.RandomAccessFile;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The page says what {@code info} and {@code status} say. */
class ReportCommandTest {
    private static final String LAYOUT = "<script>alert(1)</script>\u0007";

    @TempDir Path dir;
    private Path set;
    private Path out;

    @BeforeEach
    void aPoolWithAMirror() throws Exception {
        set = dir.resolve("bank.set");
        out = dir.resolve("bank.html");
        Files.writeString(set, "PMEMPOOLSET\n16M " + dir + "/a\nREPLICA\n16M " + dir + "/b\n");
        try (ObjectPool pool = ObjectPool.create(set, LAYOUT)) {
            Ref root = pool.root(64);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < 300; i++) {
                            tx.setRef(root, 0, tx.allocate(100 + i % 3 * 400, 7 + i % 3));
                        }
                        tx.setRef(root, 16, tx.allocate(3 << 20, 20));
                    });
        }
    }

    private Document page() throws Exception {
        String page = Files.readString(out);
        assertThat(page).startsWith("<!DOCTYPE html>\n");
        return DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(page)));
    }

    private static List<Element> all(Document page, String name) {
        NodeList found = page.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    private static Element named(Document page, String id) {
        return all(page, "*").stream()
                .filter(element -> element.getAttribute("id").equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing is named " + id));
    }

    private static List<String> rows(Document page, String id) {
        NodeList rows = named(page, id).getElementsByTagName("tr");
        List<String> texts = new ArrayList<>();
        for (int i = 1; i < rows.getLength(); i++) {
            texts.add(rows.item(i).getTextContent());
        }
        return texts;
    }

    private static String count(JsonNode number) {
        return String.format(Locale.ROOT, "%,d", number.asLong());
    }

    @Test
    void itsFiguresAreThoseOfInfo() throws Exception {
        Run.farheap("report", "-o", out, set).succeeded();
        JsonNode info =
                new ObjectMapper()
                        .readTree(Run.farheap("info", "--json", "-s", set).succeeded().out())
                        .get("statistics");
        Document page = page();
        assertThat(named(page, "objects").getTextContent())
                .isEqualTo(count(info.at("/objects/numberOfObjects")));
        assertThat(named(page, "object-bytes").getTextContent())
                .contains(count(info.at("/objects/numberOfBytes")));
        assertThat(named(page, "largest-free").getTextContent())
                .isEqualTo((info.at("/heap/largestFreeBlock").asLong() >> 20) + " MiB");
        JsonNode types = info.get("objectsByType");
        assertThat(types.size()).isEqualTo(4);
        List<String> rows = rows(page, "types");
        assertThat(rows).hasSize(4);
        assertThat(rows.get(0)).as("the largest first").startsWith("type 20");
        for (JsonNode type : types) {
            assertThat(rows)
                    .anyMatch(
                            row ->
                                    row.startsWith("type " + type.get("typeNumber").asText())
                                            && row.contains(count(type.get("numberOfObjects"))));
        }
        long chunks = info.at("/heap/zones/0/sizes").size();
        assertThat(chunks).isPositive();
        assertThat(all(page, "svg").get(0).getElementsByTagName("rect").getLength())
                .as("a cell for each chunk")
                .isEqualTo(chunksOfZone0());
        assertThat(rows(page, "copies"))
                .hasSize(2)
                .allMatch(row -> row.contains("current: ") && row.endsWith("none"));
    }

    private int chunksOfZone0() throws Exception {
        return new ObjectMapper()
                .readTree(Run.farheap("info", "--json", "-Z0", set).succeeded().out())
                .at("/zones/0/sizeIdx")
                .asInt();
    }

    @Test
    void namesOfAPoolAreTextAndNothingElse() throws Exception {
        Run.farheap("report", "-o", out, set).succeeded();
        assertThat(all(page(), "script")).isEmpty();
        assertThat(Files.readString(out)).contains("&lt;script&gt;alert(1)&lt;/script&gt;\ufffd");
    }

    @Test
    void ofAnOpenPoolItShowsTheCopiesAndTheHeapOfACopy() throws Exception {
        try (ObjectPool pool = ObjectPool.open(set, LAYOUT)) {
            assertThat(pool.counters().commits()).isZero();
            Run.farheap("report", "-o", out, set).succeeded();
            assertThat(named(page(), "no-heap").getTextContent()).contains("has the pool open");
            Run.farheap("report", "--copy", "-o", out, set).succeeded();
            assertThat(named(page(), "objects").getTextContent()).isEqualTo("301");
        }
        assertThat(dir).isDirectoryNotContaining("glob:**unfinished*");
        Document page = page();
        assertThat(rows(page, "copies")).hasSize(2);
    }

    @Test
    void whatCannotBeReadIsOnThePage() throws Exception {
        Files.delete(dir.resolve("b"));
        try (RandomAccessFile part = new RandomAccessFile(dir.resolve("a").toFile(), "rw")) {
            part.seek(4096);
            part.write(new byte[2048]);
        }
        Run run = Run.farheap("report", "-o", out, set);
        assertThat(run.exitCode()).isEqualTo(1);
        Document page = page();
        assertThat(named(page, "problems").getTextContent()).isNotEmpty();
        assertThat(rows(page, "copies")).hasSize(2).anyMatch(row -> row.contains("broken"));
    }

    @Test
    void aFileThatIsNoPageIsNotReplaced() throws Exception {
        byte[] before = Files.readAllBytes(dir.resolve("a"));
        Run.farheap("report", "-o", dir.resolve("a"), set)
                .failedWith(2, "has no page of farheap report");
        assertThat(dir.resolve("a")).hasBinaryContent(before);
        Run.farheap("report", "-o", out, set).succeeded();
        Run.farheap("report", "-o", out, set).succeeded();
        assertThat(Run.farheap("report", "-o", "-", set).succeeded().out())
                .startsWith("<!DOCTYPE html>");
    }
}
