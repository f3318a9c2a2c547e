package io.farheap.agent.config;

import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * The agent's command line: rpmemd's options, docs/settings.md#the-target-the-agents-configuration,
 * and {@code --KEY VALUE} or {@code --KEY=VALUE} for every setting.
 *
 * @param configFile the only configuration file to read, or null
 * @param listen where to listen, instead of serving one initiator; or null
 * @param remove the poolset to remove instead of serving, or null
 * @param probe tell how data connections would be made, instead of serving: for a poolset, or ""
 *     for none; or null
 * @param force remove although a part is damaged
 * @param removePoolset remove the poolset file too
 * @param yes remove it without a question
 * @param discard the replica whose commits may be lost, by its uuid; or null
 * @param help print the usage
 * @param version print the version
 * @param settings what overrides the files
 */
public record AgentOptions(
        Path configFile,
        String listen,
        String remove,
        String probe,
        boolean force,
        boolean removePoolset,
        boolean yes,
        String discard,
        boolean help,
        boolean version,
        Map<Key, String> settings) {

    /** What {@code farheap agent --help} prints. */
    public static final String USAGE =
            """
            Usage: farheap agent [OPTION]...
            Serves one initiator on standard input and output; started by a remote shell.

              -c, --config FILE        read only this configuration file
                  --listen HOST:PORT   serve all initiators that come there within TLS, until it is
                                       told to end; the signal HUP has it read
                                       its configuration and certificates anew
                  --tls-cert FILE, --tls-key FILE, --tls-ca FILE
                                       with --listen: certificate, key, authorities (PEM)
                  --allow "WHO SET... [read|write|administer]"
                                       with --listen: what a certificate's owner may do
                  --plain-data[=yes|no]  with --listen: data connections beside TLS for who asks (no)
                  --prometheus FILE    with --listen: write metrics there for Prometheus' textfile
                                       collector, as a whole (none)
                  --prometheus-interval MS  how often (15000)
              -r, --remove SET         say what the replica of this poolset holds, ask, remove it,
                                       and end
                  --probe[=SET]        tell what data connections of this poolset's replica would be
                                       made over, and how commits become durable, and end
              -f, --force              with --remove: also when a part is damaged
              -s, --pool-set           with --remove: delete the poolset file too
              -y, --yes                with --remove: ask nothing; needed where nobody is at a
                                       terminal
                  --discard UUID       with --remove: this replica may go whatever it holds;
                                       needed where it holds commits
              -t, --nthreads N         accepted for rpmemd's sake, without effect
                  --poolset-dir DIR    where poolset names are resolved ($HOME)
                  --journal-size SIZE  ring of a new journal (64M)
                  --journal-devices "DEVICE..."  where a new journal is made if it can be (none)
                  --ask "SET STORE POOL"  which store says in which term a pool is written (none)
                  --platform WHAT      none, adr or eadr: what the operator declares (none)
                  --data HOW           direct or ssh: how the data connection comes (direct)
                  --heartbeat-bound MS silence after which an initiator loses its right (5000)
                  --attach-bound MS    an initiator's hello and data connection come by then (30000)
                  --take-over-bound MS an agent that is ended has let go by then (10000)
                  --fabric WHAT        auto, tcp or verbs: what data comes over (auto)
                  --rdma-address IP    where verbs are waited for; control: as ssh came (control)
                  --spin US, --yield US    how long a wait for the next message spins (20), and
                                           yields after that (200), before it blocks
                  --persist-apm[=yes|no], --persist-general[=yes|no]
                  --use-syslog[=yes|no], --log-file FILE
                  --log-level LEVEL    err, warn, notice, info or debug (err)
              -h, --help
              -V, --version

            Exit status: 0 done; 1 failed, one sentence on standard error; 255 wrong usage;
            --remove: the errno of what failed.
            """;

    /**
     * Reads a command line; the values of settings are looked at later, with those of the files.
     *
     * @throws FarheapException category WRONG_USE for an option that does not exist or lacks its
     *     value
     */
    public static AgentOptions parse(String... args) {
        return new Parser(args).parse();
    }

    private static final class Parser {
        private final String[] args;
        private int next;
        private Path configFile;
        private String listen;
        private String remove;
        private String probe;
        private boolean force;
        private boolean removePoolset;
        private boolean yes;
        private String discard;
        private boolean help;
        private boolean version;
        private final Map<Key, String> settings = new EnumMap<>(Key.class);

        Parser(String[] args) {
            this.args = args;
        }

        AgentOptions parse() {
            while (next < args.length) {
                String arg = args[next++];
                int equals = arg.startsWith("--") ? arg.indexOf('=') : -1;
                String name = equals < 0 ? arg : arg.substring(0, equals);
                option(name, equals < 0 ? null : arg.substring(equals + 1));
            }
            if (settings.containsKey(Key.PROMETHEUS) && listen == null && !help) {
                throw usage("The option --prometheus is for an agent that listens (--listen).");
            }
            return new AgentOptions(
                    configFile,
                    listen,
                    remove,
                    probe,
                    force,
                    removePoolset,
                    yes,
                    discard,
                    help,
                    version,
                    Map.copyOf(settings));
        }

        private void option(String name, String value) {
            switch (name) {
                case "-c", "--config" -> configFile = Path.of(value(name, value));
                case "--listen" -> listen = value(name, value);
                case "-r", "--remove" -> remove = value(name, value);
                case "--probe" -> probe = value == null ? operand() : value;
                case "-f", "--force" -> force = bare(name, value);
                case "-s", "--pool-set" -> removePoolset = bare(name, value);
                case "-y", "--yes" -> yes = bare(name, value);
                case "--discard" -> discard = value(name, value);
                case "-t", "--nthreads" -> {
                    String count = value(name, value);
                    if (!count.matches("\\d{1,9}")) {
                        throw usage(name + " takes a number, not \"" + count + "\".");
                    }
                }
                case "-h", "--help" -> help = bare(name, value);
                case "-V", "--version" -> version = bare(name, value);
                default -> setting(name, value);
            }
        }

        private void setting(String name, String value) {
            Key key = name.startsWith("--") ? Key.of(name.substring(2)) : null;
            if (key == null) {
                throw usage("There is no option " + name + ".");
            }
            boolean yesNo =
                    key == Key.PERSIST_APM
                            || key == Key.PERSIST_GENERAL
                            || key == Key.USE_SYSLOG
                            || key == Key.PLAIN_DATA;
            String said = yesNo && value == null ? "yes" : value(name, value);
            String unused = settings.merge(key, said, key::joined);
        }

        /** The next word where it is no option, else "". */
        private String operand() {
            return next < args.length && !args[next].startsWith("-") ? args[next++] : "";
        }

        private String value(String name, String value) {
            if (value != null) {
                return value;
            }
            if (next == args.length) {
                throw usage("The option " + name + " takes a value.");
            }
            return args[next++];
        }

        private static boolean bare(String name, String value) {
            if (value != null) {
                throw usage("The option " + name + " takes no value.");
            }
            return true;
        }

        private static FarheapException usage(String message) {
            return new FarheapException(Category.WRONG_USE, message);
        }
    }
}
