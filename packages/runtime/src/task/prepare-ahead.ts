import type { Converter, Schema, SourceRecord } from '@tributary/connect-api'

/** Who encodes the two halves of records. */
export interface Converters {
  readonly keyConverter: Converter
  readonly valueConverter: Converter
}

export function isPrepared(converter: Converter, schema: Schema | null, topic: string): boolean {
  return converter.isPrepared?.(schema, topic) ?? true
}

/** Prepares both converters for the schemas of a record. */
export async function prepareRecord(
  { keyConverter, valueConverter }: Converters,
  { topic, keySchema, valueSchema }: SourceRecord,
  signal: AbortSignal,
): Promise<void> {
  if (!isPrepared(keyConverter, keySchema, topic)) await keyConverter.prepare?.(keySchema, topic, signal)
  if (!isPrepared(valueConverter, valueSchema, topic)) await valueConverter.prepare?.(valueSchema, topic, signal)
}

/**
 * Prepares the converters for many records: topics beside one another, so that a snapshot of thousands of tables does not wait for
 * thousands of answers in a row; the schemas of one topic in the order of its records, since a registry compares each with the one
 * before. What fails ends it without a word: the record whose turn comes meets it again.
 */
export async function prepareAhead(
  converters: Converters,
  records: readonly SourceRecord[],
  signal: AbortSignal,
): Promise<void> {
  const byTopic = Map.groupBy(newSchemas(converters, records), ({ topic }) => topic)
  const waiting = [...byTopic.values()]
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (let list = waiting.shift(); list !== undefined && !hasFailed; list = waiting.shift()) {
      try {
        for (const record of list) await prepareRecord(converters, record, signal)
      } catch {
        hasFailed = true
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, work))
}

/** The first record of each pair of schemas that is not prepared. */
function newSchemas({ keyConverter, valueConverter }: Converters, records: readonly SourceRecord[]): SourceRecord[] {
  let last: SourceRecord | null = null
  return records.filter((record) => {
    const { topic, keySchema, valueSchema } = record
    const isAsBefore = topic === last?.topic && keySchema === last.keySchema && valueSchema === last.valueSchema
    last = record
    if (isAsBefore) return false
    return !isPrepared(keyConverter, keySchema, topic) || !isPrepared(valueConverter, valueSchema, topic)
  })
}

/** Requests under way. A registry stores schemas one at a time; more only wait there. */
const AT_ONCE = 8
