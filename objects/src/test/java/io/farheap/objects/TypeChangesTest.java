package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of a program that its pool can't follow, or only with care: none spoils it. */
class TypeChangesTest {
    private static final String LONG_TEXT = "\"a text that is longer than a slot\"";

    @TempDir private Path directory;

    private Object run(String types, String body) throws Exception {
        return new ProgramVersion(directory, types, body).run(directory.resolve("pool"));
    }

    // ---- kinds ----

    @Test
    void aRecordThatIsPermittedTwiceIsOneOfItsSealedInterface() throws Exception {
        String types =
                """
                @Persistent interface Root { A one(); void one(A value); }
                sealed interface A permits B, C {}
                sealed interface B extends A permits R {}
                sealed interface C extends A permits R {}
                record R(int x) implements B, C {}
                """;
        Object unused = run(types, "root.one(new R(5)); return null;");
        assertThat(run(types, "return root.one().toString();")).isEqualTo("R[x=5]");
    }

    @Test
    void aNameKeepsItsKind() throws Exception {
        String before = "@Persistent interface Root { Pay pay(); void pay(Pay value); }\n";
        String after = "@Persistent interface Root { Pay paid(); void paid(Pay value); }\n";
        List<String> kinds =
                List.of(
                        "record Pay(int amount) {}",
                        "enum Pay { CARD, CASH }",
                        "sealed interface Pay permits Card, Cash {}"
                                + " record Card(int number) implements Pay {}"
                                + " record Cash(int amount) implements Pay {}");
        for (String stored : kinds) {
            for (String changed : kinds) {
                if (!stored.equals(changed)) {
                    requireRefused(before + stored, after + changed);
                }
            }
        }
    }

    private void requireRefused(String stored, String changed) throws Exception {
        Path pool = Files.createTempDirectory(directory, "pools").resolve("pool");
        Object unused = new ProgramVersion(directory, stored, "return null;").run(pool);
        for (int times = 0; times < 2; times++) {
            assertThatThrownBy(
                            () -> new ProgramVersion(directory, changed, "return null;").run(pool))
                    .as("%s, then %s", stored, changed)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageMatching(
                            "(?s)bank.Program\\$Pay is a type of kind [A-Z]+ in the pool, and of"
                                    + " kind [A-Z]+ in this program.*Nothing was changed.");
        }
        assertThat(new ProgramVersion(directory, stored, "return root.pay();").run(pool)).isNull();
    }

    @Test
    void aFlatRecordThatIsRefusedIsNoTypeThatCantBeStored() throws Exception {
        String types =
                "@Persistent interface Root { P at(); void at(P value); } record P(int x) {}";
        Object unused = run(types, "root.at(new P(1)); return null;");
        assertThatThrownBy(() -> run(types.replace("int x", "byte x"), "return null;"))
                .hasMessageStartingWith("bank.Program$P has changed")
                .hasMessageContaining("int can't become byte");
    }

    @Test
    void aStoredRecordStaysFlatOrNot() throws Exception {
        String types =
                "@Persistent interface Root { P at(); void at(P value); } record P(int x) {}";
        String more = types.replace("int x", "int x, String text");
        for (List<String> change : List.of(List.of(types, more), List.of(more, types))) {
            Path pool = Files.createTempDirectory(directory, "pools").resolve("pool");
            new ProgramVersion(directory, change.get(0), "return null;").run(pool);
            assertThatThrownBy(
                            () ->
                                    new ProgramVersion(directory, change.get(1), "return null;")
                                            .run(pool))
                    .hasMessageContaining("bank.Program$Root has changed")
                    .hasMessageContaining("can't become");
        }
    }

    // ---- names ----

    @Test
    void aNewFieldMayNotHaveTheNameThatAnotherOneHadBefore() throws Exception {
        String first = "@Persistent interface Root { String name(); void name(String value); }";
        String title = "@Named(\"name\") String title(); void title(String value);";
        String renamed = "@Persistent interface Root { " + title + " }";
        Object unused = run(first, "root.name(" + LONG_TEXT + "); return null;");
        assertThat(run(renamed, "return root.title();"))
                .isEqualTo("a text that is longer than a slot");
        String both =
                "@Persistent interface Root { " + title + " String name(); void name(String v); }";
        assertThatThrownBy(() -> run(both, "root.name(\"new\"); return null;"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("Root.title() was name before, which Root.name() is now");
        assertThat(run(renamed, "return root.title();"))
                .isEqualTo("a text that is longer than a slot");
    }

    // ---- older programs ----

    @Test
    void anOlderProgramsGetterLeavesANewerObjectAsItIs() throws Exception {
        String root = "@Persistent interface Root { Account one(); void one(Account value); }\n";
        String first = root + "@Persistent interface Account { PersistentList<Long> items(); }";
        String second =
                root
                        + "@Persistent interface Account { String note(); void note(String value);"
                        + " }";
        Object unused = run(first, "root.one(heap.create(Account.class)); return null;");
        unused = run(second, "root.one().note(" + LONG_TEXT + "); return null;");
        String look =
                """
                List<Object> seen = new ArrayList<>();
                PersistentList<Long> items = root.one().items();
                seen.add(items.size());
                heap.view(bank -> { seen.add(bank.one().items().size()); });
                heap.transaction(bank -> { seen.add(bank.one().items().size()); });
                try {
                    items.add(1L);
                } catch (RuntimeException e) {
                    seen.add(e.getMessage());
                }
                return seen.toString();
                """;
        assertThat((String) run(first, look))
                .startsWith("[0, 0, 0, A newer program wrote this bank.Program$Account, and")
                .contains("items");
        assertThat(run(second, "return root.one().note();"))
                .isEqualTo("a text that is longer than a slot");
    }

    /** Nothing of a newer object is lost where the program knows all that it has. */
    @Test
    void aProgramThatTakesAChangeBackHasTheFieldAgain() throws Exception {
        String root = "@Persistent interface Root { Account one(); void one(Account value); }\n";
        String number = "long number(); void number(long value); ";
        String less = root + "@Persistent interface Account { " + number + " }";
        String more = less.replace(number, number + "PersistentList<Long> items(); ");
        Object unused = run(more, "return null;");
        unused = run(less, "root.one(heap.create(Account.class, a -> a.number(4))); return null;");
        assertThat(run(more, "root.one().items().add(7L); return root.one().items().get(0);"))
                .isEqualTo(7L);
        assertThat(run(less, "return root.one().number();")).isEqualTo(4L);
    }

    @Test
    void twoTypesMayHaveNamesThatMeetInAThird() throws Exception {
        String types =
                """
                @Persistent interface Root { Both one(); void one(Both value); }
                @Persistent interface Person {
                    @Named("name") String fullName(); void fullName(String value);
                }
                @Persistent interface Company { String name(); void name(String value); }
                @Persistent interface Both extends Person, Company {}
                """;
        Object unused =
                run(
                        types,
                        "root.one(heap.create(Both.class, b -> { b.name(\"n\");"
                                + " b.fullName(\"f\"); })); return null;");
        assertThat(run(types, "return root.one().name() + root.one().fullName();")).isEqualTo("nf");
    }

    /** What the types alone don't tell: an older version has one field for both. */
    @Test
    void oneStoredFieldIsNotTwo() throws Exception {
        String first =
                """
                @Persistent interface Root { Both one(); void one(Both value); }
                @Persistent interface Person { long age(); void age(long value); }
                @Persistent interface Company { String name(); void name(String value); }
                @Persistent interface Both extends Person, Company {}
                """;
        String second =
                first.replace(
                        "long age();",
                        "@Named(\"name\") String fullName(); void fullName(String v); long age();");
        Object unused = run(first, "return null;");
        assertThatThrownBy(() -> run(second, "return null;"))
                .hasMessageContaining("the same stored field as");
    }

    @Test
    void aGetterMovesNoObjectThatItsProgramMayNotWrite() throws Exception {
        String account =
                """
                @Persistent interface Root { Account one(); void one(Account value); }
                @Persistent interface Account {
                    long number(); void number(long value);
                    //
                }
                """;
        String second = account.replace("//", "PersistentList<Long> items();");
        String third =
                second.replace(
                        "long number();",
                        "@Required String note(); void note(String value); long number();");
        Object unused = run(account, "root.one(heap.create(Account.class)); return null;");
        unused = run(second, "return null;");
        unused = run(third, "return null;");
        assertThat(run(second, "return root.one().items().size();")).isEqualTo(0);
        assertThatThrownBy(() -> run(second, "root.one().items().add(1L); return null;"))
                .hasMessageContaining("has a field note that is required");
        assertThat(run(third, "root.one().items().add(1L); return root.one().items().size();"))
                .isEqualTo(1);
    }

    // ---- deleted objects ----

    @Test
    void aChangedFlatRecordThatNamesADeletedObjectIsMovedAndTakenAway() throws Exception {
        String first =
                """
                @Persistent interface Root {
                    Node node(); void node(Node value);
                    PersistentList<Holder> holders();
                }
                @Persistent interface Node { long number(); void number(long value); }
                @Persistent interface Holder { Link link(); void link(Link value); }
                record Link(Node to, long weight) {}
                """;
        String second =
                first.replace("long weight", "long weight, int more")
                        .replace(
                                "Link link();",
                                "long field(); void field(long value); Link link();");
        Object unused =
                run(
                        first,
                        """
                        root.node(heap.create(Node.class));
                        for (int i = 0; i < 3; i++) {
                            root.holders().add(
                                heap.create(Holder.class, h -> h.link(new Link(root.node(), 7))));
                        }
                        return null;
                        """);
        Object seen =
                run(
                        second,
                        """
                        heap.delete(root.node());
                        Holder moved = root.holders().get(0);
                        moved.field(1);
                        String gone = null;
                        try {
                            Link unused = moved.link();
                        } catch (RuntimeException e) {
                            gone = e.getClass().getSimpleName();
                        }
                        moved.link(null);
                        root.holders().get(1).link(null);
                        Node node = heap.create(Node.class, one -> one.number(9));
                        Holder other = root.holders().get(2);
                        other.link(new Link(node, 2, 3));
                        return moved.field() + " " + gone + " " + moved.link() + " "
                            + root.holders().get(1).link() + " " + other.link().to().number() + " "
                            + other.link().more();
                        """);
        assertThat(seen).isEqualTo("1 DeletedObjectException null null 9 3");
    }
}
