package io.farheap.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Any key has a node of its own, whose name says which one. */
class NodePathsTest {
    private final NodePaths paths = new NodePaths("/base");

    @ParameterizedTest
    @CsvSource({
        "farheap/main/pools/bank/record, /base/farheap/main/pools/bank/=record",
        "k, /base/=k",
        "a/, /base/a/=",
        "//x, /base/%/%/=x",
        "a.b/..//.x, /base/a.b/%2E./%/=.x",
        "50%/=~, /base/50%25/=%3D%7E",
        "zookeeper/zookeepers, /base/%7Aookeeper/=zookeepers",
        "ä/€, /base/ä/=%E2%82%AC"
    })
    void aKeyIsAPath(String key, String path) {
        assertThat(paths.of(key)).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a", "a b", "..", ".", "é€😀", "100%", "%41", "=~", "\u0000\u0007\u0085"})
    void aPartComesBackAndIsALegalName(String part) {
        String path = paths.of(part + "/" + part);
        PathUtils.validatePath(path);
        String[] names = path.split("/");

        assertThat(NodePaths.isDirectory(names[2])).isTrue();
        assertThat(NodePaths.part(names[2])).isEqualTo(part);
        assertThat(NodePaths.isValue(names[3])).isTrue();
        assertThat(NodePaths.part(names[3])).isEqualTo(part);
    }

    @Test
    void thePartsAboveAPrefixAreItsDirectory() {
        assertThat(paths.directoryOf("farheap/main/po")).isEqualTo("/base/farheap/main");
        assertThat(paths.directoryOf("farheap")).isEqualTo("/base");
        assertThat(new NodePaths("").directoryOf("farheap")).isEqualTo("/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"100%", "%4", "%zz", "quota"})
    void whatOthersHaveMadeIsTakenAsItIs(String name) {
        assertThat(NodePaths.part(name)).isEqualTo(name);
    }
}
