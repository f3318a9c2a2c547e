package io.farheap.replication.tls;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.PKIXReason;
import javax.net.ssl.SSLException;

/** What is wrong with a connection within TLS, in words for a person. */
public final class TlsFaults {
    private TlsFaults() {}

    /** One clause, without a point. */
    public static String clause(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "the other side's certificate has expired (" + cause.getMessage() + ")";
            }
            if (cause instanceof CertificateNotYetValidException) {
                return "the other side's certificate is not valid yet ("
                        + cause.getMessage()
                        + "): compare the clocks";
            }
            if (cause instanceof CertPathBuilderException
                    || cause instanceof CertPathValidatorException judged
                            && isOfAnotherAuthority(judged)) {
                return "the other side's certificate is of none of the authorities in tls-ca";
            }
        }
        return ofMessage(failure);
    }

    private static boolean isOfAnotherAuthority(CertPathValidatorException judged) {
        return judged.getReason() == BasicReason.INVALID_SIGNATURE
                || judged.getReason() == PKIXReason.NO_TRUST_ANCHOR;
    }

    private static String ofMessage(Throwable failure) {
        String said = String.valueOf(failure.getMessage());
        if (failure instanceof UnresolvedAddressException
                || failure instanceof UnknownHostException) {
            return "the host is not known";
        }
        if (failure instanceof ConnectException) {
            return "nobody listens there (" + said + ")";
        }
        if (said.contains("protocol_version") || said.contains("not supported: TLS")) {
            return "one side does not speak TLS 1.3 (" + said + ")";
        }
        if (said.contains("client requested protocol versions")
                || said.contains("is not enabled or supported in server context")) {
            return "the other side does not speak TLS 1.3";
        }
        if (said.contains("Empty client certificate chain")) {
            return "the other side shows no certificate of the authorities in tls-ca";
        }
        if (said.contains("no_application_protocol")
                || said.contains("No matching application layer protocol")) {
            return "the two sides speak different protocols within TLS: install one version on"
                    + " both machines";
        }
        if (said.contains("Unrecognized SSL message")
                || said.contains("Unsupported or unrecognized SSL")
                || said.contains("Not a TLS")
                || said.contains("record header")) {
            return "what the other side says is not TLS";
        }
        if (said.contains("fatal alert")) {
            return "the other side refuses this one's certificate or handshake ("
                    + said.substring(said.lastIndexOf(' ') + 1)
                    + "): its log says why";
        }
        Throwable cause = failure.getCause();
        if (failure instanceof SSLException && cause instanceof CertificateException) {
            return "the other side's certificate is not the one wanted: " + cause.getMessage();
        }
        return failure instanceof IOException ? said : failure.toString();
    }
}
