import type { Kafka, RecordPart } from '@tributary/kafka'
import { eventually } from '@tributary/testkit'

export type Row = Readonly<Record<string, unknown>>

export interface PlantedRecord {
  readonly key: Buffer | null
  readonly value: Buffer | null
}

/** The record with another `after`. Integers beyond 2^53 must be in the change itself. */
export function withAfter({ key, value }: PlantedRecord, change: (after: Row) => Row): PlantedRecord {
  // The number that JSON.parse would round is the only one of its size.
  const exact = (text: string): string => text.replaceAll('"9007199254740993"', '9007199254740993')
  const text = (value?.toString() ?? 'null').replaceAll('9007199254740993', '"9007199254740993"')
  const document = JSON.parse(text) as { payload: { after: Row } }
  const changed = { ...document, payload: { ...document.payload, after: change(document.payload.after) } }
  return { key, value: Buffer.from(exact(JSON.stringify(changed))) }
}

/** Writes records to a topic, and waits until they are acknowledged. */
export async function plant(kafka: Kafka, name: string, records: readonly PlantedRecord[]): Promise<void> {
  let delivered = 0
  await using producer = await kafka.producer({ onDelivered: (tokens) => (delivered += tokens.length) })
  const topic = await producer.topic(name)
  const part = (bytes: Buffer | null): RecordPart | null =>
    bytes === null ? null : { prefix: new Uint8Array(0), buffer: bytes, start: 0, end: bytes.length }
  for (const [token, { key, value }] of records.entries()) {
    topic.send({ key: part(key), value: part(value), headers: [], partition: null, timestamp: null, token })
  }
  await eventually('the records are acknowledged', () => delivered === records.length)
}
