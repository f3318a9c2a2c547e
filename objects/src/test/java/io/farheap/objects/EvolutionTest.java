package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two versions of a program, one after the other on one pool. */
class EvolutionTest {
    private static final String FIRST =
            """
            @Persistent interface Root {
                PersistentMap<String, Account> accounts();
                PersistentSet<Account> favourites();
                Color color(); void color(Color value);
            }
            @Persistent interface Account {
                String owner(); void owner(String value);
                int balance(); void balance(int value);
                float rate(); void rate(float value);
                String note(); void note(String value);
                Point at(); void at(Point value);
                Entry last(); void last(Entry value);
                PersistentMap<Long, Entry> entries();
            }
            record Point(int x, int y) {}
            record Entry(String text, int amount) {}
            enum Color { RED, GREEN }
            """;

    private static final String FILL =
            """
            heap.transaction(bank -> {
                for (String name : List.of("Ada", "Bob")) {
                    Account account = heap.create(Account.class, one -> {
                        one.owner(name);
                        one.balance(-5);
                        one.rate(1.5f);
                        one.note("a note that is longer than a slot");
                        one.at(new Point(1, 2));
                        one.last(new Entry("a text that is longer than a slot", 7));
                    });
                    account.entries().put(1L, new Entry("first", 3));
                    bank.accounts().put(name, account);
                    bank.favourites().add(account);
                }
                bank.color(Color.GREEN);
            });
            return null;
            """;

    @TempDir Path directory;

    // ---- keys ----

    /** Their hashes lie in the pool. */
    @Test
    void aRecordInKeysKeepsItsComponentsInWhateverOrder() throws Exception {
        String root = "@Persistent interface Root { PersistentMap<Key, Long> map(); }\n";
        Object unused =
                run(
                        root
                                + "record Key(String text, int number, Part part) {}"
                                + "record Part(String name) {}",
                        "root.map().put(new Key(\"one\", 1, new Part(\"p\")), 1L); return null;");
        assertThat(
                        run(
                                root
                                        + "record Part(String name) {}"
                                        + "record Key(Part part, int number, String text) {}",
                                "return root.map().get(new Key(new Part(\"p\"), 1, \"one\"));"))
                .isEqualTo(1L);
        for (String changed :
                List.of(
                        "record Key(String text, Part part) {} record Part(String name) {}",
                        "record Key(String text, int number, Part part) {}"
                                + " record Part(String name, String more) {}")) {
            assertThatThrownBy(() -> run(root + changed, "return null;"))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("It is in the keys of bank.Program$Root.map");
        }
    }

    private Object run(String types, String body) throws Exception {
        return new ProgramVersion(directory, types, body).run(file());
    }

    private Path file() {
        return directory.resolve("pool");
    }

    private static String with(String what, String other) {
        assertThat(FIRST).contains(what);
        return FIRST.replace(what, other);
    }

    @Test
    void anOldObjectLacksANewFieldUntilItIsWritten() throws Exception {
        String second =
                with(
                        "String note();",
                        "String email(); void email(String value); long count(); void count(long"
                                + " value); Instant since(); void since(Instant value);"
                                + " PersistentMap<String, Long> tags(); String note();");
        run(FIRST, FILL);
        Object seen =
                run(
                        second,
                        """
                        Account ada = root.accounts().get("Ada");
                        List<Object> seen = new ArrayList<>();
                        heap.view(bank -> {
                            Account one = bank.accounts().get("Ada");
                            seen.add(one.email());
                            seen.add(one.count());
                            seen.add(one.since());
                            seen.add(one.tags().size());
                            seen.add(one.tags().get("any"));
                        });
                        ada.count(9);
                        ada.since(Instant.EPOCH);
                        ada.tags().put("old", 1L);
                        root.accounts().get("Bob").tags().put("new", 2L);
                        seen.add(ada.equals(root.accounts().get("Ada")));
                        seen.add(root.favourites().contains(ada));
                        seen.add(ada.owner() + ada.note() + ada.balance() + ada.at());
                        seen.add(ada.entries().get(1L).text());
                        return seen;
                        """);
        assertThat((List<?>) seen)
                .isEqualTo(
                        java.util.Arrays.asList(
                                null,
                                0L,
                                null,
                                0,
                                null,
                                true,
                                true,
                                "Adaa note that is longer than a slot-5Point[x=1, y=2]",
                                "first"));
        Object again =
                run(
                        second,
                        """
                        Account ada = root.accounts().get("Ada");
                        return ada.count() + " " + ada.since() + " " + ada.email() + " " + ada.tags()
                            + " " + root.accounts().get("Bob").tags();
                        """);
        assertThat(again).isEqualTo("9 1970-01-01T00:00:00Z null {old=1} {new=2}");
    }

    @Test
    void aRemovedFieldIsGoneWithWhatItOwnedOnceItsObjectMoves() throws Exception {
        run(FIRST, FILL);
        long before = objects();
        run(
                with("String note(); void note(String value);", "long more(); void more(long v);"),
                "root.accounts().get(\"Ada\").more(1); return null;");
        assertThat(objects())
                .as("two descriptors' worth: one descriptor and one body more, one block less")
                .isEqualTo(before + 1 + 1 - 1);
    }

    @Test
    void aRenamedFieldKeepsItsValue() throws Exception {
        run(FIRST, FILL);
        String renamed =
                with("String owner(); void owner(", "@Named(\"owner\") String name(); void name(");
        assertThat(run(renamed, "return root.accounts().get(\"Ada\").name();")).isEqualTo("Ada");
        assertThat(
                        run(
                                renamed,
                                "Account a = root.accounts().get(\"Bob\"); a.name(\"Bert\"); return"
                                        + " a.name();"))
                .isEqualTo("Bert");
    }

    @Test
    void aWidenedFieldKeepsItsValueAndTakesLargerOnes() throws Exception {
        run(FIRST, FILL);
        String wide =
                with("int balance(); void balance(int", "long balance(); void balance(long")
                        .replace(
                                "float rate(); void rate(float", "double rate(); void rate(double");
        assertThat(
                        run(
                                wide,
                                """
                                Account ada = root.accounts().get("Ada");
                                String before = ada.balance() + " " + ada.rate();
                                ada.balance(1L << 40);
                                return before + " " + ada.balance() + " " + ada.rate();
                                """))
                .isEqualTo("-5 1.5 1099511627776 1.5");
    }

    @Test
    void aFieldMayBecomeNullableAndNotTheOtherWayRound() throws Exception {
        run(FIRST, FILL);
        String boxed =
                with("int balance(); void balance(int", "Integer balance(); void balance(Integer");
        assertThat(
                        run(
                                boxed,
                                """
                                Account ada = root.accounts().get("Ada");
                                String before = ada.balance() + " ";
                                ada.balance(null);
                                return before + ada.balance();
                                """))
                .isEqualTo("-5 null");
        String back =
                boxed.replace(
                        "Integer balance(); void balance(Integer",
                        "int balance(); void balance(int");
        assertThat(back).isEqualTo(FIRST);
        assertThatThrownBy(() -> run(FIRST, "return null;"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("null can't become int");
    }

    @Test
    void constantsMayComeAndChangeTheirOrder() throws Exception {
        run(FIRST, FILL);
        String more = with("RED, GREEN", "BLACK, GREEN, RED");
        assertThat(
                        run(
                                more,
                                "Color old = root.color(); root.color(Color.BLACK); return old + \""
                                        + " \" + root.color();"))
                .isEqualTo("GREEN BLACK");
        assertThatThrownBy(() -> run(FIRST, "return root.color();"))
                .hasMessageContaining("Color.BLACK, a constant that this program does not have");
    }

    /** The pool has it by number: it stays, and what refers to it can't be read by this program. */
    @Test
    void aRemovedConstantIsRefusedWhereItIsStoredAndNowhereElse() throws Exception {
        run(FIRST, FILL);
        String fewer = with("RED, GREEN", "RED");
        assertThat(run(fewer, "return root.accounts().get(\"Ada\").owner();")).isEqualTo("Ada");
        assertThatThrownBy(() -> run(fewer, "return root.color();"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("Color.GREEN, a constant that this program does not have");
        assertThat(run(FIRST, "return root.color().toString();")).isEqualTo("GREEN");
        assertThat(run(fewer, "root.color(Color.RED); return root.color().toString();"))
                .isEqualTo("RED");
    }

    @Test
    void aRenamedClassIsTheSameTypeByItsName() throws Exception {
        String named =
                FIRST.replace(
                                "@Persistent interface Account",
                                "@Persistent(name = \"bank.Account\") interface Account")
                        .replace(
                                "record Entry(", "@Persistent(name = \"bank.Entry\") record Entry(")
                        .replace("enum Color", "@Persistent(name = \"bank.Color\") enum Color");
        run(named, FILL);
        long before = objects();
        String renamed =
                named.replaceAll("\\bAccount\\b(?!\")", "Konto")
                        .replaceAll("\\bEntry\\b(?!\")", "Buchung")
                        .replaceAll("\\bColor\\b(?!\")", "Farbe");
        assertThat(renamed).contains("(name = \"bank.Account\") interface Konto");
        assertThat(
                        run(
                                renamed,
                                """
                                Konto ada = root.accounts().get("Ada");
                                ada.balance(6);
                                return ada.owner() + ada.balance() + ada.last() + root.color();
                                """))
                .isEqualTo("Ada6Buchung[text=a text that is longer than a slot, amount=7]GREEN");
        assertThat(objects()).as("no version more").isEqualTo(before);
        assertThat(run(named, "return root.accounts().get(\"Ada\").balance();")).isEqualTo(6);
    }

    @Test
    void aRecordInABlockMayGainAComponent() throws Exception {
        run(FIRST, FILL);
        String more = with("record Entry(String text,", "record Entry(Long id, String text,");
        assertThat(
                        run(
                                more,
                                """
                                Account ada = root.accounts().get("Ada");
                                ada.entries().put(2L, new Entry(5L, "second", 1));
                                return ada.last() + " " + ada.entries().get(1L) + " "
                                    + ada.entries().get(2L);
                                """))
                .isEqualTo(
                        "Entry[id=null, text=a text that is longer than a slot, amount=7]"
                                + " Entry[id=null, text=first, amount=3]"
                                + " Entry[id=5, text=second, amount=1]");
    }

    @Test
    void aFlatRecordMayGainAComponentInAField() throws Exception {
        run(FIRST, FILL);
        String more = with("record Point(int x, int y)", "record Point(int x, int y, int z)");
        assertThat(
                        run(
                                more,
                                """
                                Account ada = root.accounts().get("Ada");
                                String before = ada.at() + " ";
                                ada.at(new Point(4, 5, 6));
                                return before + ada.at() + ada.note();
                                """))
                .isEqualTo(
                        "Point[x=1, y=2, z=0] Point[x=4, y=5, z=6]a note that is longer than a"
                                + " slot");
    }

    @Test
    void aFlatRecordThatACollectionHoldsMayNotChange() throws Exception {
        String held = with("Color color();", "PersistentSet<Point> points(); Color color();");
        run(held, "root.points().add(new Point(1, 2)); return null;");
        String more =
                held.replace("record Point(int x, int y)", "record Point(int x, int y, int z)");
        assertThatThrownBy(() -> run(more, "return null;"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("set<flat bank.Program$Point#1> can't become set<flat");
        assertThat(run(held, "return root.points().toString();")).isEqualTo("[Point[x=1, y=2]]");
    }

    @Test
    void aChangeThatCantBeFollowedIsRefusedWithBothShapesAndChangesNothing() throws Exception {
        run(FIRST, FILL);
        String text =
                with("int balance(); void balance(int", "String balance(); void balance(String")
                        .replace(
                                "String note()",
                                "String remark(); void remark(String v); String note()");
        assertThatThrownBy(() -> run(text, "return null;"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("bank.Program$Account has changed, and what is in the pool")
                .hasMessageMatching("(?s).*in the pool, version 1 +in this program\n.*")
                .hasMessageMatching(
                        "(?s).* balance int +balance String +<- int can't become String\n.*")
                .hasMessageMatching("(?s).* - +remark String\n.*");
        assertThat(run(FIRST, "return root.accounts().get(\"Ada\").balance();")).isEqualTo(-5);
    }

    @Test
    void anOlderProgramReadsAndWritesWhatItKnows() throws Exception {
        run(FIRST, FILL);
        String second =
                with("String note();", "String email(); void email(String v); String note();");
        run(second, "root.accounts().get(\"Ada\").email(\"ada@far\"); return null;");
        assertThat(
                        run(
                                FIRST,
                                """
                                Account ada = root.accounts().get("Ada");
                                ada.balance(8);
                                root.accounts().put("Eve", heap.create(Account.class));
                                return ada.owner() + ada.balance();
                                """))
                .isEqualTo("Ada8");
        assertThat(
                        run(
                                second,
                                "Account a = root.accounts().get(\"Ada\"); return a.email() +"
                                        + " a.balance() + root.accounts().get(\"Eve\").email();"))
                .isEqualTo("ada@far8null");
    }

    @Test
    void anOlderProgramMayNotWriteWhereAFieldIsRequired() throws Exception {
        run(FIRST, FILL);
        run(
                with(
                        "String note();",
                        "@Required String email(); void email(String v); String note();"),
                "return null;");
        assertThat(run(FIRST, "return root.accounts().get(\"Ada\").owner();")).isEqualTo("Ada");
        for (String write :
                List.of(
                        "root.accounts().get(\"Ada\").balance(1);",
                        "root.accounts().get(\"Ada\").owner(\"x\");",
                        "heap.create(Account.class);",
                        "heap.delete(root.accounts().get(\"Ada\"));")) {
            assertThatThrownBy(() -> run(FIRST, write + " return null;"))
                    .as(write)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("has a field email that is required");
        }
    }

    @Test
    void anOlderProgramMayNotSetAFieldThatANewerOneRenamed() throws Exception {
        run(FIRST, FILL);
        String renamed =
                with("String owner(); void owner(", "@Named(\"owner\") String name(); void name(")
                        .replace("String note()", "long more(); void more(long v); String note()");
        run(renamed, "root.accounts().get(\"Ada\").more(1); return null;");
        assertThatThrownBy(
                        () -> run(FIRST, "root.accounts().get(\"Ada\").owner(\"x\"); return null;"))
                .hasMessageContaining("A newer program wrote this");
        assertThat(run(renamed, "return root.accounts().get(\"Ada\").name();")).isEqualTo("Ada");
    }

    @Test
    void openingCostsTheSameHoweverManyObjectsThereAre() throws Exception {
        String second =
                with("String note();", "String email(); void email(String v); String note();");
        run(FIRST, FILL);
        long few = flushesOfOpen(second);
        run(
                FIRST,
                "heap.transaction(bank -> { for (int i = 0; i < 5000; i++)"
                        + " heap.create(Account.class); }); return null;");
        String third =
                second.replace(
                        "String note();", "String phone(); void phone(String v); String note();");
        assertThat(flushesOfOpen(third)).isLessThan(few + 100);
    }

    private long flushesOfOpen(String types) throws Exception {
        return (long) run(types, "return heap.pool().counters().flushes();");
    }

    private long objects() {
        long[] count = {0};
        try (ObjectPool pool = ObjectPool.open(file(), null)) {
            pool.objects().forEach(object -> count[0]++);
        }
        return count[0];
    }
}
