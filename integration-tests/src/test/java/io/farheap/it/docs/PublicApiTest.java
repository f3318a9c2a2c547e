package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a program can name says what it is for: each public type and member of an exported package
 * has a comment.
 */
class PublicApiTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern EXPORTED = Pattern.compile("exports ([a-z.]+);");

    @Test
    void everyPublicMemberIsDocumented() throws IOException {
        List<Path> sources = exported();
        assertThat(sources).as("sources of exported packages").hasSizeGreaterThan(60);

        assertThat(undocumented(sources)).isEmpty();
    }

    /** The check itself: it sees what has no comment, and leaves what needs none. */
    @Test
    void whatHasNoCommentIsFound(@TempDir Path directory) throws IOException {
        Path source =
                Files.writeString(
                        directory.resolve("Thing.java"),
                        """
                        /** A thing. */
                        public class Thing implements Runnable {
                            public static final int MOST = 3;
                            int inner;
                            /** Made. */
                            public Thing() {}
                            public void go(long far) {}
                            void stay() {}
                            @Override public void run() {}
                            public record Pair(int a, int b) { public Pair {} public int sum() { return a + b; } }
                            /** Faces. */
                            public interface Face { void show(); }
                            /** Kinds. */
                            public enum Kind { ONE, /** Two. */ TWO }
                            static class Hidden { public void seek() {} }
                        }
                        """);

        assertThat(undocumented(List.of(source)))
                .containsExactlyInAnyOrder(
                        "Thing.MOST",
                        "Thing.go",
                        "Thing.Pair",
                        "Thing.Pair.sum",
                        "Thing.Face.show",
                        "Thing.Kind.ONE");
    }

    /** The sources of all packages that a module exports to everybody. */
    static List<Path> exported() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src/main/java");
                Path descriptor = main.resolve("module-info.java");
                if (!Files.exists(descriptor)) {
                    // Sources that another module compiles, too, have theirs elsewhere.
                    descriptor = module.resolve("src/module/java/module-info.java");
                }
                if (!Files.exists(descriptor)) {
                    continue;
                }
                Matcher name = EXPORTED.matcher(Files.readString(descriptor));
                while (name.find()) {
                    Path folder = main.resolve(name.group(1).replace('.', File.separatorChar));
                    try (Stream<Path> files = Files.list(folder)) {
                        files.filter(file -> file.toString().endsWith(".java"))
                                .forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }

    private static List<String> undocumented(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of(),
                                    null,
                                    files.getJavaFileObjectsFromPaths(sources));
            PublicMembers members = new PublicMembers(DocTrees.instance(task));
            for (CompilationUnitTree unit : task.parse()) {
                Void unused = members.scan(unit, null);
            }
            return members.undocumented;
        }
    }

    /** Collects what is public and has no comment, by the types around it. */
    private static final class PublicMembers extends TreePathScanner<Void, Void> {
        final List<String> undocumented = new ArrayList<>();
        private final DocTrees comments;

        PublicMembers(DocTrees comments) {
            this.comments = comments;
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            if (!isPublic(type.getModifiers())) {
                return null;
            }
            requireComment(type.getSimpleName().toString());
            return super.visitClass(type, unused);
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            if (isPublic(method.getModifiers()) && !overrides(method) && !checksRecord(method)) {
                requireComment(method.getName().toString());
            }
            return null;
        }

        @Override
        public Void visitVariable(VariableTree field, Void unused) {
            if (isPublic(field.getModifiers())) {
                requireComment(field.getName().toString());
            }
            return null;
        }

        private boolean isPublic(ModifiersTree modifiers) {
            boolean ofInterface =
                    getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.INTERFACE;
            return modifiers.getFlags().contains(Modifier.PUBLIC)
                    || ofInterface && !modifiers.getFlags().contains(Modifier.PRIVATE);
        }

        /** It has the comment of what it overrides. */
        private static boolean overrides(MethodTree method) {
            return method.getModifiers().getAnnotations().stream()
                    .map(AnnotationTree::getAnnotationType)
                    .anyMatch(type -> type.toString().equals("Override"));
        }

        /** A record's comment speaks of the constructor that has its components. */
        private boolean checksRecord(MethodTree method) {
            ClassTree around = (ClassTree) getCurrentPath().getParentPath().getLeaf();
            List<String> components =
                    around.getMembers().stream()
                            .filter(VariableTree.class::isInstance)
                            .map(VariableTree.class::cast)
                            .filter(f -> !f.getModifiers().getFlags().contains(Modifier.STATIC))
                            .map(field -> field.getName().toString())
                            .toList();
            return around.getKind() == Tree.Kind.RECORD
                    && method.getReturnType() == null
                    && method.getParameters().stream()
                            .map(parameter -> parameter.getName().toString())
                            .toList()
                            .equals(components);
        }

        private void requireComment(String name) {
            if (comments.getDocComment(getCurrentPath()) != null) {
                return;
            }
            StringBuilder path = new StringBuilder(name);
            TreePath around = getCurrentPath().getParentPath();
            while (around.getLeaf() instanceof ClassTree type) {
                path.insert(0, type.getSimpleName() + ".");
                around = around.getParentPath();
            }
            undocumented.add(path.toString());
        }
    }
}
