import type { DifferenceKind } from '../result.ts'
import { ExactNumber, isObject, type JsonValue } from './json-value.ts'

export interface FoundDifference {
  readonly kind: DifferenceKind
  readonly path: string
  readonly theirs: JsonValue | undefined
  readonly ours: JsonValue | undefined
}

interface Rule {
  readonly reason: string
  readonly fits: (difference: FoundDifference, payload: JsonValue) => boolean
}

const RULES: readonly Rule[] = [
  {
    reason: 'the version of the program that made the record',
    fits: ({ path }) => path === 'value.source.version' || /^value\.\w*_?source_version$/.test(path),
  },
  {
    reason: 'when the program made the record',
    fits: ({ path, theirs, ours }, payload) =>
      (isEnvelope(payload) ? ENVELOPE_TIME : FLAT_TIME).test(path) && isSameUnit(theirs, ours),
  },
  {
    reason: 'the run of the program that made the record',
    fits: ({ path }) => path === 'headers.__debezium.context.runId',
  },
  {
    reason: 'the record of a statement has no row: Debezium repeats that of the event before it',
    fits: ({ path }, payload) => isStatement(payload) && path === 'value.source.row',
  },
  {
    reason: 'YEAR 0 is 0; Debezium makes another year of it',
    fits: ({ path, theirs, ours }) =>
      /^value(\.(before|after))?\.[^.]+$/.test(path) && ours === 0 && (theirs === 1900 || theirs === 2000),
  },
  {
    reason: 'the stored offset is before it: the move sends it again, as a restart of Kafka Connect does',
    fits: ({ kind }) => kind === 'repeated',
  },
  {
    reason: 'a tombstone without a key is useless, and Tributary writes none',
    fits: ({ kind, theirs }) =>
      kind === 'extra' && isObject(theirs) && theirs['key'] === null && theirs['value'] === null,
  },
]

/** Why Tributary differs there on purpose; null: nobody has said so. */
export function reasonFor(difference: FoundDifference, payload: JsonValue): string | null {
  return RULES.find((rule) => rule.fits(difference, payload))?.reason ?? null
}

const ENVELOPE_TIME = /^value\.ts_(ms|us|ns)$/
/** With the prefix of ExtractNewRecordState: a column may be called ts_ms. */
const FLAT_TIME = /^value\.__ts_(ms|us|ns)$/

function isEnvelope(payload: JsonValue): boolean {
  return isObject(payload) && ('op' in payload || 'status' in payload || 'ddl' in payload)
}

function isStatement(payload: JsonValue): boolean {
  return isObject(payload) && 'ddl' in payload
}

/** Two times with the same number of digits: milliseconds in place of microseconds are a difference. */
function isSameUnit(theirs: JsonValue | undefined, ours: JsonValue | undefined): boolean {
  const [one, other] = [digits(theirs), digits(ours)]
  return one !== null && one === other
}

function digits(value: JsonValue | undefined): number | null {
  const text = value instanceof ExactNumber ? value.text : typeof value === 'number' ? String(value) : ''
  return /^\d{13,19}$/.test(text) ? text.length : null
}
