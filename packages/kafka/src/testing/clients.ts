import { silentLogger, systemClock, type Logger } from '@tributary/support'
import type { Kafka, KafkaOptions } from '../api/kafka.ts'
import type { ProducerOptions } from '../api/producer.ts'
import type { LogRecord, OutgoingRecord, RecordPart } from '../api/records.ts'
import { createKafka } from '../create-kafka.ts'

export interface TestKafkaOptions extends Partial<KafkaOptions> {
  readonly logger?: Logger
}

export function testKafka(bootstrapServers: readonly string[], options: TestKafkaOptions = {}): Kafka {
  return createKafka({ bootstrapServers, clientId: 'test', clock: systemClock, logger: silentLogger, ...options })
}

const NO_PREFIX = Buffer.alloc(0)

export function part(text: string | Buffer, prefix: Buffer = NO_PREFIX): RecordPart {
  const buffer = Buffer.from(text)
  return { prefix, buffer, start: 0, end: buffer.length }
}

/** A record with this value, to any partition, timestamp now. */
export function valueRecord(value: string | Buffer, changes: Partial<OutgoingRecord> = {}): OutgoingRecord {
  return { key: null, value: part(value), headers: [], partition: null, timestamp: null, token: 0, ...changes }
}

/** All records of a topic, in order within each partition. */
export async function readAll(kafka: Kafka, topic: string): Promise<LogRecord[]> {
  await using reader = await kafka.reader({ topic })
  const records: LogRecord[] = []
  await reader.readToEnd((record) => records.push(record))
  return records
}

/** Options of a producer that ignores acknowledgements. */
export function silent(options: Partial<ProducerOptions> = {}): ProducerOptions {
  return { onDelivered: () => undefined, ...options }
}
