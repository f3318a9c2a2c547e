package io.farheap.agent.service;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** Under which names a certificate is known to the configuration. */
final class CertificateNames {
    private static final int DNS = 2;
    private static final int URI = 6;

    private CertificateNames() {}

    /**
     * {@code CN=} the subject's most specific common name, {@code DNS:} and {@code URI:} the
     * alternative names; the first is for messages. Empty: it has none of these.
     */
    static List<String> of(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            List<Rdn> subject =
                    new LdapName(certificate.getSubjectX500Principal().getName()).getRdns();
            for (int i = subject.size() - 1; i >= 0; i--) { // the most specific one is the last
                Rdn part = subject.get(i);
                if (part.size() == 1
                        && part.getType().toUpperCase(Locale.ROOT).equals("CN")
                        && part.getValue() instanceof String name) {
                    names.add("CN=" + name);
                    break;
                }
            }
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            for (List<?> each : alternatives == null ? List.<List<?>>of() : alternatives) {
                Object kind = each.get(0);
                if (kind.equals(DNS)) {
                    names.add("DNS:" + each.get(1));
                } else if (kind.equals(URI)) {
                    names.add("URI:" + each.get(1));
                }
            }
        } catch (InvalidNameException | CertificateParsingException e) {
            return List.of(); // whose names can't be read is nobody
        }
        return names;
    }
}
