package io.farheap.replication.fabric.tcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The greeting on a socket as its format says, without the product's code. */
final class Greetings {
    private static final int NONCE = 32;

    private Greetings() {}

    private static byte[] magic() {
        return "FARHTCP2".getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] proof(String side, byte[] secret, byte[] initiators, byte[] targets) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            String name = "farheap data connection, " + side;
            mac.update(name.getBytes(StandardCharsets.US_ASCII));
            mac.update(initiators);
            return mac.doFinal(targets);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Proves to know the secret; returns what the target says then. */
    static byte[] asInitiator(Socket socket, byte[] secret) throws IOException {
        byte[] nonce = new byte[NONCE];
        socket.getOutputStream().write(magic());
        socket.getOutputStream().write(nonce);
        byte[] challenge = socket.getInputStream().readNBytes(8 + NONCE + 32);
        byte[] its = Arrays.copyOfRange(challenge, 8, 8 + NONCE);
        byte[] proof = Arrays.copyOfRange(challenge, 8 + NONCE, challenge.length);
        if (!Arrays.equals(proof, proof("target", secret, nonce, its))) {
            throw new IOException("the target does not know the secret");
        }
        socket.getOutputStream().write(proof("initiator", secret, nonce, its));
        return socket.getInputStream().readNBytes(16);
    }

    /** Answers the one that comes as a target of that secret would; returns all that it said. */
    static byte[] answeredBy(ServerSocket target, byte[] secret) {
        try (Socket guest = target.accept()) {
            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            byte[] hello = guest.getInputStream().readNBytes(8 + NONCE);
            heard.write(hello);
            byte[] its = Arrays.copyOfRange(hello, 8, hello.length);
            byte[] nonce = new byte[NONCE];
            guest.getOutputStream().write(magic());
            guest.getOutputStream().write(nonce);
            guest.getOutputStream().write(proof("target", secret, its, nonce));
            heard.write(guest.getInputStream().readAllBytes());
            return heard.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
