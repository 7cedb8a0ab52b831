import type { Converter, Schema, SourceRecord } from '@tributary/connect-api'

/** The converters of the two halves of a record. */
export interface Converters {
  readonly keyConverter: Converter
  readonly valueConverter: Converter
}

export function isRegistered(converter: Converter, schema: Schema | null, topic: string): boolean {
  return converter.isRegistered?.(schema, topic) ?? true
}

/** One call of `Converter.register`. */
interface Registration {
  readonly converter: Converter
  readonly schema: Schema | null
  readonly topic: string
}

function missingRegistrations(
  { keyConverter, valueConverter }: Converters,
  { topic, keySchema, valueSchema }: SourceRecord,
): readonly Registration[] {
  const both = [
    { converter: keyConverter, schema: keySchema, topic },
    { converter: valueConverter, schema: valueSchema, topic },
  ]
  return both.filter(({ converter, schema }) => !isRegistered(converter, schema, topic))
}

/** Registers both schemas of a record. `onConverter` is called before each registration. */
export async function registerSchemas(
  converters: Converters,
  record: SourceRecord,
  options: { readonly onConverter: (converter: Converter) => void; readonly signal: AbortSignal },
): Promise<void> {
  for (const registration of missingRegistrations(converters, record)) {
    options.onConverter(registration.converter)
    await register(registration, options.signal)
  }
}

async function register({ converter, schema, topic }: Registration, signal: AbortSignal): Promise<void> {
  if (!isRegistered(converter, schema, topic)) await converter.register?.(schema, topic, signal)
}

/**
 * Registers the schemas of many records side by side, so that a snapshot of thousands of tables does not wait for
 * thousands of answers in a row. Registrations of one sequence (`Converter.registrationSequence`: a subject, usually
 * one per topic) keep the order of the records, because a registry compares each schema with the one before. Stops at
 * the first failure and never rejects: `registerSchemas` repeats the registration for its record.
 */
export async function registerAhead(
  converters: Converters,
  records: readonly (SourceRecord | null)[],
  signal: AbortSignal,
): Promise<void> {
  const registrations = firstOfRuns(records).flatMap((record) => missingRegistrations(converters, record))
  const waiting = [...Map.groupBy(registrations, sequenceOf).values()]
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (let list = waiting.shift(); list !== undefined && !hasFailed; list = waiting.shift()) {
      try {
        for (const registration of list) await register(registration, signal)
      } catch {
        hasFailed = true
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(REQUESTS_MAX, waiting.length) }, work))
}

function sequenceOf({ converter, schema, topic }: Registration): string {
  return converter.registrationSequence?.(schema, topic) ?? topic
}

/** True: both records have the same topic and schemas, so that both or neither are admitted. */
export function haveSameSchemas(a: SourceRecord, b: SourceRecord): boolean {
  return a.valueSchema === b.valueSchema && a.keySchema === b.keySchema && a.topic === b.topic
}

/** The records whose schemas differ from those of the record before. */
function firstOfRuns(records: readonly (SourceRecord | null)[]): readonly SourceRecord[] {
  const first: SourceRecord[] = []
  let before: SourceRecord | null = null
  for (const record of records) {
    if (record === null || (before !== null && haveSameSchemas(record, before))) continue
    first.push(record)
    before = record
  }
  return first
}

/** Requests in flight. A registry stores one schema at a time; more requests would only wait there. */
const REQUESTS_MAX = 8
