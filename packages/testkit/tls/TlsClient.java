import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/**
 * TLS as Kafka's Java client does it: its own reading of ssl.*, then Java's handshake. Each line of standard input is an
 * attempt, host TAB port TAB request in hexadecimal (TAB property=value)*; each line of standard output is its result,
 * "accepted" or "refused" and the reason. A server that refuses a client's certificate does so after the handshake of
 * TLS 1.3, so an attempt is accepted when the request is answered.
 */
public class TlsClient {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String result;
            try {
                attempt(line.split("\t", -1));
                result = "accepted";
            } catch (Exception error) {
                result = "refused " + String.valueOf(error).replaceAll("\\s+", " ");
            }
            System.out.println(result);
            System.out.flush();
        }
    }

    private static void attempt(String[] fields) throws Exception {
        Map<String, Object> given = new HashMap<>();
        for (int i = 3; i < fields.length; i++) {
            int equals = fields[i].indexOf('=');
            given.put(fields[i].substring(0, equals), fields[i].substring(equals + 1).replace("\\n", "\n"));
        }
        ConfigDef definition = new ConfigDef();
        SslConfigs.addClientSslSupport(definition);
        Map<String, Object> config = new HashMap<>(definition.parse(given));
        try (DefaultSslEngineFactory factory = new DefaultSslEngineFactory()) {
            factory.configure(config);
            String host = fields[0];
            int port = Integer.parseInt(fields[1]);
            Socket plain = new Socket(host, port);
            try (SSLSocket socket = (SSLSocket) factory.sslContext().getSocketFactory().createSocket(plain, host, port, true)) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm(
                        (String) config.get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG));
                socket.setSSLParameters(parameters);
                socket.setEnabledProtocols(
                        ((java.util.List<?>) config.get(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG)).toArray(new String[0]));
                socket.setSoTimeout(30_000);
                socket.startHandshake();
                socket.getOutputStream().write(HexFormat.of().parseHex(fields[2]));
                socket.getOutputStream().flush();
                if (socket.getInputStream().read() < 0) throw new Exception("the server closed the connection");
            }
        }
    }
}
