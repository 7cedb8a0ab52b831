import { AvroReader } from '@tributary/converters'
import type { LogRecord } from '@tributary/kafka'

/** Converts records to the JSON documents that the checks read. */
export type RecordReader = (records: readonly LogRecord[]) => Promise<readonly LogRecord[]>

/** For records that are JSON already. */
export const readsJson: RecordReader = (records) => Promise.resolve(records)

/** For Avro records with ids of Apicurio Registry. */
export function readsAvro(registryUrl: string): RecordReader {
  const { signal } = new AbortController()
  const onUnknown = (id: bigint, error: Error): void => {
    throw new Error(`the registry has no schema ${id}`, { cause: error })
  }
  const reader = new AvroReader({ 'apicurio.registry.url': registryUrl }, false, onUnknown)
  const document = (bytes: Buffer | null): Buffer | null => {
    const text = reader.read(bytes)
    return text === null ? bytes : Buffer.from(text)
  }
  return async (records) => {
    await reader.loadSchemas(
      records.flatMap(({ key, value }) => [key, value]),
      signal,
    )
    return records.map((record) => ({ ...record, key: document(record.key), value: document(record.value) }))
  }
}
