import type { Converter, Schema, SourceRecord } from '@tributary/connect-api'

/** Who encodes the two halves of records. */
export interface Converters {
  readonly keyConverter: Converter
  readonly valueConverter: Converter
}

export function isRegistered(converter: Converter, schema: Schema | null, topic: string): boolean {
  return converter.isRegistered?.(schema, topic) ?? true
}

/** One call of `prepare`. */
interface Preparation {
  readonly converter: Converter
  readonly schema: Schema | null
  readonly topic: string
}

function preparationsOf(
  { keyConverter, valueConverter }: Converters,
  { topic, keySchema, valueSchema }: SourceRecord,
): readonly Preparation[] {
  const both = [
    { converter: keyConverter, schema: keySchema, topic },
    { converter: valueConverter, schema: valueSchema, topic },
  ]
  return both.filter(({ converter, schema }) => !isRegistered(converter, schema, topic))
}

/** Prepares both converters for the schemas of a record. */
export async function prepareRecord(converters: Converters, record: SourceRecord, signal: AbortSignal): Promise<void> {
  for (const preparation of preparationsOf(converters, record)) await prepare(preparation, signal)
}

async function prepare({ converter, schema, topic }: Preparation, signal: AbortSignal): Promise<void> {
  if (!isRegistered(converter, schema, topic)) await converter.register?.(schema, topic, signal)
}

/**
 * Prepares the converters for many records: beside one another, so that a snapshot of thousands of tables does not wait for thousands
 * of answers in a row; but those of one sequence (`Converter.registrationSequence`: a subject, as a rule that of a topic) in the order of the
 * records, since a registry compares each schema with the one before. What fails ends it without a word: the record whose turn comes
 * meets it again.
 */
export async function prepareAhead(
  converters: Converters,
  records: readonly SourceRecord[],
  signal: AbortSignal,
): Promise<void> {
  const preparations = newSchemas(records).flatMap((record) => preparationsOf(converters, record))
  const waiting = [...Map.groupBy(preparations, registrationSequence).values()]
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (let list = waiting.shift(); list !== undefined && !hasFailed; list = waiting.shift()) {
      try {
        for (const preparation of list) await prepare(preparation, signal)
      } catch {
        hasFailed = true
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, work))
}

function registrationSequence({ converter, schema, topic }: Preparation): string {
  return converter.registrationSequence?.(schema, topic) ?? topic
}

/** The records whose schemas are not those of the record before. */
function newSchemas(records: readonly SourceRecord[]): readonly SourceRecord[] {
  return records.filter(({ topic, keySchema, valueSchema }, i) => {
    const before = records[i - 1]
    return topic !== before?.topic || keySchema !== before.keySchema || valueSchema !== before.valueSchema
  })
}

/** Requests under way. A registry stores schemas one at a time; more only wait there. */
const AT_ONCE = 8
