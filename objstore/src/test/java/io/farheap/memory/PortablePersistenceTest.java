package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortablePersistenceTest {
    private static final String VARIABLE = PortablePersistence.VARIABLE;

    @ParameterizedTest
    @CsvSource({
        "Linux,'',false",
        "Linux,no,false",
        "Linux,yes,true",
        "Mac OS X,'',true",
        "Mac OS X,yes,true",
        "Windows 11,'',true",
        "FreeBSD,'',true"
    })
    void itIsUsedWhereThereIsNoLinuxOrWhereItIsAskedFor(String system, String value, boolean used) {
        assertThat(PortablePersistence.isWanted(system, Map.of(VARIABLE, value))).isEqualTo(used);
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatThrownBy(() -> PortablePersistence.isWanted("Linux", Map.of(VARIABLE, "1")))
                .hasMessage("FARHEAP_PORTABLE must be yes or no, not 1");
        assertThatThrownBy(() -> PortablePersistence.isWanted("Mac OS X", Map.of(VARIABLE, "no")))
                .hasMessageContaining("this is Mac OS X");
    }

    @Test
    void whatJavaThrowsHasLinuxsNumber() {
        assertThat(PortableErrors.of(new NoSuchFileException("a"))).isEqualTo(-LibC.ENOENT);
        assertThat(PortableErrors.of(new AccessDeniedException("a"))).isEqualTo(-LibC.EACCES);
        assertThat(PortableErrors.of(new IOException("No space left on device")))
                .isEqualTo(-PortableErrors.ENOSPC);
        assertThat(PortableErrors.of(new IOException("There is not enough space on the disk")))
                .isEqualTo(-PortableErrors.ENOSPC);
        assertThat(PortableErrors.of(new FileSystemException("a", null, "Is a directory")))
                .isEqualTo(-PortableErrors.EISDIR);
        assertThat(PortableErrors.of(new IOException("something else"))).isEqualTo(-LibC.EIO);
        assertThat(PortableErrors.text(PortableErrors.ENOSPC)).isEqualTo("No space left on device");
        assertThat(PortableErrors.text(4711)).isEqualTo("Unknown error 4711");
    }
}
