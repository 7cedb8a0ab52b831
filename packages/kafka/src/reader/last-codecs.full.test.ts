import { test } from 'node:test'
import { useRealKafka } from '@tributary/testkit'
import { assertCodecOfJava } from '../testing/codec-of-java.ts'

// Apache Kafka: the codecs are those of Java's producer on its own broker.
const { bootstrapServers } = await useRealKafka()

for (const codec of ['none', 'gzip', 'snappy', 'lz4'] as const) {
  test(`the codec of the last batches is that of the Java producer that wrote them: ${codec}`, () =>
    assertCodecOfJava(bootstrapServers, codec))
}
