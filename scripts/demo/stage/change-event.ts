import type { LogRecord } from '@tributary/kafka'
import { describeError } from '@tributary/support'
import { demoErrors } from './errors.ts'

/** Columns by name. */
export type Row = Readonly<Record<string, unknown>>

/** The members of a change event's payload that the demo uses. */
export interface Change {
  readonly op: string
  readonly before: Row | null
  readonly after: Row | null
  readonly source: Row
}

/** A record of a table's topic. */
export interface TopicEvent {
  readonly topic: string
  readonly offset: bigint
  readonly key: Row
  /** Null for a tombstone. */
  readonly change: Change | null
  /** The whole payload, to be printed; null for a tombstone. */
  readonly payload: Row | null
}

/** Parses a record written by the JSON converter with schemas. Throws DEMO_RECORD_UNREADABLE. */
export function parseEvent({ topic, offset, key, value }: LogRecord): TopicEvent {
  try {
    const payload = value === null ? null : payloadOf(value)
    const change = payload === null ? null : changeOf(payload)
    return { topic, offset, key: payloadOf(key), change, payload }
  } catch (error) {
    throw demoErrors.DEMO_RECORD_UNREADABLE({ topic, offset, reason: describeError(error) }, error)
  }
}

function payloadOf(bytes: Buffer | null): Row {
  if (bytes === null) throw new TypeError('its key is null')
  const document: unknown = JSON.parse(bytes.toString())
  return rowOf(rowOf(document, 'the document')['payload'], 'its payload')
}

function changeOf(payload: Row): Change {
  const { op, before, after, source } = payload
  if (typeof op !== 'string') throw new TypeError('op is not a string')
  return {
    op,
    before: before === null ? null : rowOf(before, 'before'),
    after: after === null ? null : rowOf(after, 'after'),
    source: rowOf(source, 'source'),
  }
}

function rowOf(value: unknown, what: string): Row {
  if (!isRow(value)) throw new TypeError(`${what} is not an object`)
  return value
}

/** True for a JSON object. */
export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
