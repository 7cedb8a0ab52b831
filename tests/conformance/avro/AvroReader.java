import io.apicurio.registry.utils.converter.avro.AvroData;
import io.apicurio.registry.utils.converter.avro.AvroDataConfig;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.json.JsonConverter;

/**
 * An independent reader of Avro values: Apache Avro's decoder, Apicurio's way back to Connect's data, and Connect's JSON converter.
 *
 * Standard input has lines `R id schema` (that the next one refers to), `S id schema` and `V id hex`; standard output has a JSON document with its schema for each V.
 */
public class AvroReader {
    public static void main(String[] args) throws Exception {
        Map<String, Schema> schemas = new HashMap<>();
        Map<String, Schema.Parser> parsers = new HashMap<>();
        AvroData avroData = new AvroData(new AvroDataConfig(Map.of()));
        JsonConverter json = new JsonConverter();
        // A null is a null: the Avro value has the default where the writer put one.
        json.configure(Map.of("replace.null.with.default", "false"), false);
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            String[] parts = line.split(" ", 3);
            if (parts[0].equals("R") || parts[0].equals("S")) {
                Schema schema = parsers.computeIfAbsent(parts[1], id -> new Schema.Parser()).parse(parts[2]);
                if (parts[0].equals("S")) schemas.put(parts[1], schema);
                continue;
            }
            Schema schema = schemas.get(parts[1]);
            byte[] bytes = HexFormat.of().parseHex(parts[2]);
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(bytes, null);
            Object datum = new GenericDatumReader<>(schema).read(null, decoder);
            if (!decoder.isEnd()) throw new IllegalStateException("bytes remain after a value of schema " + parts[1]);
            SchemaAndValue value = avroData.toConnectData(schema, datum);
            out.print(new String(json.fromConnectData("topic", value.schema(), value.value()), StandardCharsets.UTF_8));
            out.print('\n');
        }
        out.flush();
    }
}
