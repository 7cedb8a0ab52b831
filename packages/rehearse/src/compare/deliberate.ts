import type { DifferenceKind } from '../result.ts'
import { ExactNumber, isObject, type JsonValue, parseExactly } from './json-value.ts'
import { kindOfPayload } from './payload-kind.ts'

export interface FoundDifference {
  readonly kind: DifferenceKind
  readonly path: string
  readonly theirs: JsonValue | undefined
  readonly ours: JsonValue | undefined
}

/** The record of the topic with the difference. */
export interface DifferingRecord {
  readonly payload: JsonValue
  /** The schema of its value, as JSON; null: it has none. */
  readonly schema: string | null
  /** When it was written, in milliseconds since 1970; null: unknown. */
  readonly writtenMs: number | null
}

interface Rule {
  readonly reason: string
  readonly fits: (difference: FoundDifference, record: DifferingRecord) => boolean
}

const RULES: readonly Rule[] = [
  {
    reason: 'the version of the program that made the record',
    fits: ({ path, theirs, ours }, { payload }) =>
      (kindOfPayload(payload) === 'flat' ? path === `value.${FLAT_VERSION}` : path === 'value.source.version') &&
      [theirs, ours].every((version) => typeof version === 'string'),
  },
  {
    reason: 'when the program made the record',
    fits: ({ path, theirs, ours }, { payload, writtenMs }) => {
      const times = kindOfPayload(payload) === 'flat' ? FLAT_TIMES : TIMES
      return times.some((name) => path === `value.${name}`) && isSameUnit(theirs, ours, writtenMs)
    },
  },
  {
    reason: 'the run of the program that made the record',
    fits: ({ path }) => path === 'headers.__debezium.context.runId',
  },
  {
    reason: 'the record of a statement has no row: Debezium repeats that of the event before it',
    fits: ({ path }, { payload }) => kindOfPayload(payload) === 'statement' && path === 'value.source.row',
  },
  {
    reason: 'YEAR 0 is 0; Debezium makes another year of it',
    fits: ({ path, theirs, ours }, { schema }) =>
      ours === 0 && (theirs === 1900 || theirs === 2000) && isYear(path, schema),
  },
  {
    reason: 'the stored offset is before it: the move sends it again, as a restart of Kafka Connect does',
    // The rehearsal makes no other record from before the offset.
    fits: ({ kind }, { payload }) => kind === 'repeated' && kindOfPayload(payload) === 'statement',
  },
  {
    reason: 'a tombstone without a key is useless, and Tributary writes none',
    fits: ({ kind, theirs }) =>
      kind === 'extra' && isObject(theirs) && theirs['key'] === null && theirs['value'] === null,
  },
]

/** Why Tributary differs there on purpose; null: nobody has said so. */
export function reasonFor(difference: FoundDifference, record: DifferingRecord): string | null {
  return RULES.find((rule) => rule.fits(difference, record))?.reason ?? null
}

/** Content without the fields that differ on purpose; the same for a number and its text. */
export function contentOf(payload: JsonValue): string {
  const masked: Record<string, JsonValue> | null = isObject(payload) ? { ...payload } : null
  if (masked !== null) {
    for (const name of kindOfPayload(payload) === 'flat' ? [...FLAT_TIMES, FLAT_VERSION] : TIMES) delete masked[name]
  }
  return JSON.stringify(masked ?? payload, (_, value: unknown) => (typeof value === 'number' ? String(value) : value))
}

const TIMES = ['ts_ms', 'ts_us', 'ts_ns'] as const
/** With the prefix of ExtractNewRecordState: a column may be called ts_ms. */
const FLAT_TIMES = ['__ts_ms', '__ts_us', '__ts_ns'] as const
const FLAT_VERSION = '__source_version'

/** Whether a column has the type YEAR; false without a schema, since the value alone does not show it. */
function isYear(path: string, schema: string | null): boolean {
  const fieldOf = (of: JsonValue | undefined, name: string): JsonValue | undefined => {
    const fields = isObject(of) ? of['fields'] : undefined
    if (!Array.isArray(fields)) return undefined
    return (fields as readonly JsonValue[]).find((field) => isObject(field) && field['field'] === name)
  }
  if (schema === null) return false
  const [part, ...names] = path.split('.')
  const field = names.reduce(fieldOf, parseExactly(schema))
  return part === 'value' && isObject(field) && field['name'] === 'io.debezium.time.Year'
}

/** Two times near that of writing, with the same unit: milliseconds in place of microseconds are a difference. */
function isSameUnit(theirs: JsonValue | undefined, ours: JsonValue | undefined, writtenMs: number | null): boolean {
  const [one, other] = [timeOf(theirs), timeOf(ours)]
  if (one === null || one.unit !== other?.unit) return false
  return [one, other].every(({ ms }) => writtenMs === null || Math.abs(ms - writtenMs) < DISTANCE_MS)
}

/** A time since 1970, in the unit that its number of digits implies from 2001 until 2286. */
function timeOf(value: JsonValue | undefined): { readonly unit: number; readonly ms: number } | null {
  const text = value instanceof ExactNumber ? value.text : typeof value === 'number' ? String(value) : ''
  const unit = [13, 16, 19].indexOf(text.length)
  return /^\d+$/.test(text) && unit >= 0 ? { unit, ms: Number(text) / 1000 ** unit } : null
}

/** The limit on the difference between Debezium's time for a record and the rehearsal's: the age of the offset. */
const DISTANCE_MS = 24 * 3_600_000
