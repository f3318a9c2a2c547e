package io.farheap.replication.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.journal.ReplicaState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlCodecTest {
    private static final String UUID = "00112233445566778899aabbccddeeff";

    static List<Request> requests() {
        return List.of(
                hello(Purpose.ATTACH, 1L << 60),
                hello(Purpose.RESTORE, 0),
                new Request.Footprint(3, 100),
                new Request.Records(64, Blob.of(new byte[] {1, 2})),
                new Request.Return(3, 640),
                new Request.Drain(Long.MAX_VALUE),
                new Request.DataOver(FabricKind.TCP),
                new Request.Prepare(),
                new Request.Confirm(-2),
                new Request.MayLag(),
                new Request.CaughtUp(9),
                new Request.ReadImage(4096, 65536, true),
                new Request.StartSync(),
                new Request.SyncComplete(8),
                new Request.Promote(),
                new Request.RestoreComplete(10),
                new Request.Remove(true, false),
                new Request.SetAttributes(header()),
                new Request.Heartbeat(),
                new Request.Bye());
    }

    static List<Reply> replies() {
        SlotReport slot = new SlotReport(ReplicaState.INSYNC, 4, 6, 4, 10, 3, 4, false, false);
        DataEndpoint data =
                new DataEndpoint(
                        "10.0.0.1",
                        4711,
                        Blob.of(new byte[16]),
                        1 << 20,
                        DurabilityMethod.GPSPM,
                        "no platform declared",
                        FabricKind.VERBS,
                        "rdma0 has the address");
        return List.of(
                new Reply.Greeting(Reply.PROTOCOL, 1, 77, "target"),
                new Reply.Greeting(Reply.PROTOCOL, 6, 77, "target", 5),
                new Reply.Data(data),
                new Reply.Verdict(
                        AttachDecision.CURRENT, slot, true, header(), 8 << 20, List.of(), "", data),
                new Reply.Verdict(
                        AttachDecision.NONE,
                        null,
                        false,
                        Blob.EMPTY,
                        0,
                        List.of("no journal", "no part"),
                        "",
                        null),
                new Reply.Verdict(
                        AttachDecision.NONE,
                        null,
                        false,
                        Blob.EMPTY,
                        0,
                        List.of(),
                        "",
                        null,
                        1L << 40,
                        SpokenVersions.OURS.highest()),
                new Reply.FootprintPage(
                        List.of(new ByteRange(0, 1), new ByteRange(4096, 64)), false),
                new Reply.FootprintPage(List.of(), true),
                new Reply.TailEnd(4, 256),
                new Reply.ImageContent(4, 7, -5, Blob.of(new byte[] {1, 2})),
                new Reply.Promoted(1 << 20, 7),
                new Reply.Done("prepare"),
                new Reply.Refused(Reply.Code.BUSY, "held by 10.0.0.9", "wait"),
                new Reply.Heartbeat());
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aRequestComesBackAsItWasSent(Request request) {
        assertThat(ControlCodec.decodeRequest(ControlCodec.encode(request))).isEqualTo(request);
    }

    @ParameterizedTest
    @MethodSource("replies")
    void aReplyComesBackAsItWasSent(Reply reply) {
        assertThat(ControlCodec.decodeReply(ControlCodec.encode(reply))).isEqualTo(reply);
    }

    @Test
    void everyKindOfMessageIsCoveredHere() {
        assertThat(requests().stream().map(Object::getClass).distinct())
                .hasSize(Request.class.getPermittedSubclasses().length);
        assertThat(replies().stream().map(Object::getClass).distinct())
                .hasSize(Reply.class.getPermittedSubclasses().length);
    }

    @Test
    void theFormOnTheWireIsFixed() {
        assertThat(text(ControlCodec.encode(new Request.Drain(5))))
                .isEqualTo("{\"type\":\"drain\",\"sequence\":5}");
        assertThat(
                        text(
                                ControlCodec.encode(
                                        new Reply.FootprintPage(
                                                List.of(new ByteRange(64, 8)), true))))
                .isEqualTo("{\"type\":\"footprintPage\",\"ranges\":[[64,8]],\"last\":true}");
    }

    @Test
    void fieldsOfALaterVersionAreIgnored() {
        assertThat(request("{\"type\":\"drain\",\"sequence\":5,\"colour\":{\"a\":[1]}}"))
                .isEqualTo(new Request.Drain(5));
    }

    /** As earlier agents of the same version of the protocol answer. */
    @Test
    void aVerdictNeedNotTellTheRoom() {
        String line =
                "{\"type\":\"verdict\",\"kind\":\"NONE\",\"slot\":null,\"created\":false,"
                        + "\"header\":\"\",\"imageSize\":8,\"faults\":[],\"holder\":\"\","
                        + "\"data\":null%s}";
        Reply.Verdict untold = (Reply.Verdict) ControlCodec.decodeReply(bytes(line.formatted("")));
        assertThat(untold.room()).isNull();
        assertThat(ControlCodec.decodeReply(bytes(line.formatted(",\"room\":4096"))))
                .isEqualTo(
                        new Reply.Verdict(
                                AttachDecision.NONE,
                                null,
                                false,
                                Blob.EMPTY,
                                8,
                                List.of(),
                                "",
                                null,
                                4096L,
                                null));
        assertThatThrownBy(() -> ControlCodec.decodeReply(bytes(line.formatted(",\"room\":-1"))))
                .hasMessageContaining("\"room\"");
    }

    @Test
    void aReasonOfALaterVersionIsStillARefusal() {
        Reply reply =
                ControlCodec.decodeReply(
                        bytes(
                                "{\"type\":\"refused\",\"code\":\"TIDE\",\"message\":\"m\","
                                        + "\"advice\":\"a\"}"));
        assertThat(reply).isEqualTo(new Reply.Refused(Reply.Code.OTHER, "m", "a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "7",
                "[]",
                "{}",
                "{\"type\":\"shutdown\"}",
                "{\"type\":\"io.farheap.replication.control.Request$Bye\"}",
                "{\"type\":\"drain\"",
                "{\"type\":\"drain\",\"sequence\":\"5\"}",
                "{\"type\":\"drain\",\"sequence\":5.5}",
                "{\"type\":\"drain\",\"sequence\":null}",
                "{\"type\":\"drain\",\"sequence\":-1}",
                "{\"type\":\"drain\",\"sequence\":99999999999999999999}",
                "{\"type\":\"drain\",\"sequence\":5,\"sequence\":6}",
                "{\"type\":\"drain\",\"sequence\":5} {}",
                "{\"type\":\"drain\",\"sequence\":5,\"x\":[[[[[[[[[[1]]]]]]]]]]}",
                "{\"type\":\"footprint\",\"from\":0,\"max\":16385}",
                "{\"type\":\"hello\",\"version\":1}",
                "{\"type\":\"hello\",\"version\":1,\"purpose\":0}"
            })
    void whatIsNoRequestIsRefusedWithOneSentence(String line) {
        assertThatThrownBy(() -> request(line))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> {
                            assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA);
                            assertThat(e.getMessage()).doesNotContain("\n").hasSizeLessThan(400);
                        });
    }

    @Test
    void anAttachNamesThePoolAndAFreshNumber() {
        assertThatThrownBy(() -> hello(Purpose.ATTACH, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nextRunId");
        assertThatThrownBy(() -> hello(Purpose.ATTACH, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nextRunId");
    }

    private static final int DAMAGED = Boolean.getBoolean("test.deep") ? 20_000 : 5_000;

    @Test
    @Tag("sliced")
    void damagedMessagesGiveAMessageOrTheOneException() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<byte[]> lines = new ArrayList<>();
        requests().forEach(r -> lines.add(ControlCodec.encode(r)));
        replies().forEach(r -> lines.add(ControlCodec.encode(r)));
        for (int i = 0; i < DAMAGED; i++) {
            byte[] line = lines.get(random.nextInt(lines.size())).clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                line[random.nextInt(line.length)] = (byte) random.nextInt(256);
            }
            if (random.nextInt(4) == 0) {
                line = Arrays.copyOf(line, random.nextInt(line.length + 8));
            }
            decodeBoth(line, seed);
        }
    }

    private static void decodeBoth(byte[] line, long seed) {
        try {
            assertThat(ControlCodec.decodeRequest(line)).isNotNull();
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA);
        } catch (RuntimeException e) {
            fail("seed " + seed + ", line " + text(line), e);
        }
        try {
            assertThat(ControlCodec.decodeReply(line)).isNotNull();
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA);
        } catch (RuntimeException e) {
            fail("seed " + seed + ", line " + text(line), e);
        }
    }

    private static Request.Hello hello(Purpose purpose, long nextRunId) {
        return new Request.Hello(
                1,
                purpose,
                "a/b.set",
                UUID,
                "bank",
                8 << 20,
                header(),
                2,
                nextRunId,
                List.of(7L),
                12L,
                false,
                true,
                false,
                "me",
                1000,
                new SessionOwner("0123456789abcdef0123456789abcdef", 5),
                List.of(FabricKind.VERBS, FabricKind.TCP),
                0640,
                9L,
                null);
    }

    private static Blob header() {
        byte[] header = new byte[4096];
        header[7] = -1;
        return Blob.of(header);
    }

    private static Request request(String line) {
        return ControlCodec.decodeRequest(bytes(line));
    }

    private static byte[] bytes(String line) {
        return line.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] line) {
        return new String(line, StandardCharsets.UTF_8);
    }
}
