package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.io.RandomAccessFile;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
        run.failedWith(1, out + " is written; ", " could not be read, see there");
        Document page = page();
        assertThat(named(page, "problems").getTextContent()).isNotEmpty();
        assertThat(rows(page, "copies")).hasSize(2).anyMatch(row -> row.contains("broken"));
    }

    @Persistent(name = "Bank")
    interface Bank {
        PersistentMap<String, Account> accounts();
    }

    @Persistent(name = "Account")
    interface Account {
        String owner();

        void owner(String value);
    }

    private Path typedPool(int lost) {
        Path pool = dir.resolve("typed.pool");
        try (PersistentHeap<Bank> heap = PersistentHeap.openOrCreate(pool, 8 << 20, Bank.class)) {
            Account kept = heap.create(Account.class, one -> one.owner("Ada"));
            heap.root().accounts().put("Ada", kept);
            for (int i = 0; i < lost; i++) {
                Account unused =
                        heap.create(Account.class, one -> one.owner("Bob, of a name with room"));
            }
        }
        return pool;
    }

    @Test
    void whatTheRootDoesNotReachIsWhatReclaimFinds() throws Exception {
        Path pool = typedPool(7);
        byte[] before = Files.readAllBytes(pool);
        Run.farheap("report", "-o", out, pool).succeeded();
        assertThat(pool).hasBinaryContent(before);
        JsonNode found =
                new ObjectMapper()
                        .readTree(Run.farheap("reclaim", "-d", "--json", pool).succeeded().out())
                        .get("types");
        NodeList cells = named(page(), "unreachable").getElementsByTagName("td");
        assertThat(found).hasSizeGreaterThan(1);
        assertThat(cells.getLength()).isEqualTo(3 * found.size());
        for (int i = 0; i < found.size(); i++) {
            JsonNode type = found.get(i);
            assertThat(cells.item(3 * i).getTextContent()).isEqualTo(type.get("type").asText());
            assertThat(cells.item(3 * i + 1).getTextContent())
                    .isEqualTo(count(type.get("objects")));
            assertThat(cells.item(3 * i + 2).getTextContent()).contains(count(type.get("bytes")));
        }

        Run.farheap("reclaim", "-y", pool).succeeded();
        Run.farheap("report", "-o", out, pool).succeeded();
        assertThat(named(page(), "all-reached").getTextContent()).contains("none");
        Run.farheap("report", "-o", out, set).succeeded();
        assertThat(Files.readString(out)).as("no typed heap").doesNotContain("does not reach");
    }

    @Test
    void ofACopyItSaysWhereToLookForThem() throws Exception {
        Path pool = typedPool(1);
        try (PersistentHeap<Bank> heap = PersistentHeap.open(pool, Bank.class)) {
            assertThat(heap.root().accounts()).hasSize(1);
            Run.farheap("report", "-c", "-o", out, pool).succeeded();
        }
        assertThat(named(page(), "not-looked-for").getTextContent())
                .contains("farheap reclaim -d " + pool);
    }

    /** As farheap top writes it: RateLogTest has that. */
    private static final String LOG =
            "time      commits/s  aborts/s  fences/commit  syncs/s  replica-MB/s  attached "
                    + " lag-bytes  commit-p50-us  commit-p99-us  replica-p50-us  replica-p99-us\n"
                    + "23:59:58       1000       0.0           3.00      0.0          0.10       2/2   "
                    + "       0  12.30  62.10  9.20  51.00\n"
                    + "23:59:59       1200       0.0           3.00      0.0          0.10       2/2   "
                    + "    4096  12.30  62.10  9.20  51.00\n"
                    + "00:00:00       1400       0.0           3.00      0.0          0.10       1/2   "
                    + "   12288  12.30  62.10  -  -\n"
                    + "00:00:01       1600       0.0           3.00      0.0          0.10       1/2   "
                    + " unknown  -  -  -  -\n";

    @Test
    void theLagOfReplicasOverTimeIsWhatTopSaid() throws Exception {
        Path log = Files.writeString(dir.resolve("bank.log"), LOG);
        Run.farheap("report", "-t", log, "-o", out, set).succeeded();
        Document page = page();
        assertThat(named(page, "lag-looks").getTextContent())
                .isEqualTo("4, 23:59:58 to 00:00:01, past midnight 1 time");
        assertThat(named(page, "lag-most").getTextContent()).isEqualTo("12 KiB at 00:00:00");
        assertThat(named(page, "lag-whole").getTextContent()).isEqualTo("2, 50.0 %");
        assertThat(named(page, "lag-commits").getTextContent()).isEqualTo("1,300");
        NodeList bars = named(page, "lag").getElementsByTagName("rect");
        List<String> heights = new ArrayList<>();
        for (int i = 0; i < bars.getLength(); i++) {
            Element bar = (Element) bars.item(i);
            heights.add(bar.getAttribute("class") + " " + bar.getAttribute("height"));
        }
        assertThat(heights)
                .containsExactly(
                        "lag 0.00",
                        "lag 40.00",
                        "apart 120.00",
                        "lag 120.00",
                        "apart 120.00",
                        "lag 0.00");
    }

    @Test
    void ofManyLooksTheWorstOfEachPlaceIsShown() throws Exception {
        StringBuilder text = new StringBuilder(LOG.lines().findFirst().orElseThrow()).append('\n');
        for (int i = 0; i < 1000; i++) {
            text.append(
                    "10:00:00  1  0.0  3.00  0.0  0.10  1/1  %d  1.00  2.00  -  -\n"
                            .formatted(i == 777 ? 5 : 0));
        }
        Path log = Files.writeString(dir.resolve("bank.log"), text);
        Run.farheap("report", "-t", log, "-o", out, set).succeeded();
        NodeList bars = named(page(), "lag").getElementsByTagName("rect");
        assertThat(bars.getLength()).isEqualTo(250);
        assertThat(((Element) bars.item(777 / 4)).getAttribute("height")).isEqualTo("120.00");
    }

    @Test
    void aLogThatIsNoneMakesNoPage() throws Exception {
        String titles = LOG.lines().findFirst().orElseThrow() + "\n";
        Path log = dir.resolve("bank.log");
        refused(log, 3, "there is no such file");
        for (String foreign :
                List.of("", "time  commits/s\n", "# HELP farheap_pool_current x\n", "\0\1\2")) {
            Files.writeString(log, foreign);
            refused(log, 1, "has no lines of farheap top");
            Run.farheap("report", "-t", log, "-o", out, set)
                    .failedWith(1, "to a new file, farheap top " + set + " > bank.set.top");
        }
        Files.writeString(log, titles);
        refused(log, 1, "has only the titles");
        Files.writeString(log, LOG.substring(0, LOG.length() - 4));
        refused(log, 1, "is cut: its last line has no end");
        Files.writeString(log, LOG.replace("       1/2      12288", ""));
        refused(log, 1, "bank.log:4: no line of farheap top");
        Files.writeString(log, LOG.replace("1/2      12288", "1/2     -12288"));
        refused(log, 1, "bank.log:4: no line of farheap top");
    }

    private void refused(Path log, int code, String sentence) {
        Run.farheap("report", "-t", log, "-o", out, set).failedWith(code, log.toString(), sentence);
        assertThat(out).doesNotExist();
    }

    @Test
    void nothingIsSaidOfReplicasThatThePoolHasNot() throws Exception {
        Run.farheap("report", "-o", out, set).succeeded();
        assertThat(all(page(), "*"))
                .noneMatch(element -> element.getAttribute("id").equals("compared"));
    }

    @Test
    void aClosedPoolIsNotSaidToHaveBeenCompared() throws Exception {
        Files.writeString(
                set, "REPLICA nobody@nowhere.invalid bank.set\n", StandardOpenOption.APPEND);
        Run.farheap("report", "-o", out, set);
        assertThat(named(page(), "compared").getTextContent())
                .isEqualTo(
                        "When their bytes were compared last is not known. farheap verify "
                                + set
                                + " compares all copies.");
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
