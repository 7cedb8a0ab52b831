import type { LogRecord } from '@tributary/kafka'
import type { EventField, TopicEvent } from '@tributary/rest-api'
import { isObject, jsonText, type JsonObject, type JsonValue } from '../forms/json-value.ts'
import type { DecodedPart } from './decoded-record.ts'

/** Longer texts are cut. A record of a topic may have megabytes. */
const FIELD_LENGTH_MAX = 4_096
const VALUE_LENGTH_MAX = 16_384
const FIELDS_MAX = 1_000

/** A record for people. What is too long is cut, and the event says so. */
export function topicEvent(record: LogRecord, key: DecodedPart, value: DecodedPart): TopicEvent {
  const { partition, offset, timestamp } = record
  const envelope = isEnvelope(value.document) ? value.document : null
  const before = rowOf(envelope?.['before'])
  const after = rowOf(envelope?.['after'])
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  const fields = names.slice(0, FIELDS_MAX).map((name) => fieldOf(name, before, after))
  const texts = [key.text, ...(envelope === null ? [value.text] : [])]
  const isCut =
    names.length > FIELDS_MAX ||
    texts.some((text) => (text?.length ?? 0) > VALUE_LENGTH_MAX) ||
    [before, after].some((row) => Object.values(row).some((text) => text.length > FIELD_LENGTH_MAX))
  const notes = [key.note, value.note, isCut ? 'Long values are cut.' : null].filter((note) => note !== null)
  return {
    partition,
    offset: String(offset),
    timestamp,
    key: cut(key.text, VALUE_LENGTH_MAX),
    op: envelope === null ? null : envelope.op,
    source: envelope === null ? {} : cutAll(rowOf(envelope['source'])),
    fields,
    value: envelope === null ? cut(value.text, VALUE_LENGTH_MAX) : null,
    isTombstone: record.value === null,
    bytes: (record.key?.length ?? 0) + (record.value?.length ?? 0),
    note: notes.length === 0 ? null : notes.join(' '),
  }
}

type Envelope = JsonObject & { readonly op: string }

function isEnvelope(document: JsonValue | undefined): document is Envelope {
  return isObject(document) && typeof document['op'] === 'string' && ('after' in document || 'before' in document)
}

/** The JSON texts of the members; none for null. */
function rowOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, jsonText(member)]])),
  )
}

function fieldOf(
  name: string,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): EventField {
  const [old, now] = [before[name], after[name]]
  return {
    name,
    ...(old === undefined ? {} : { before: cutText(old, FIELD_LENGTH_MAX) }),
    ...(now === undefined ? {} : { after: cutText(now, FIELD_LENGTH_MAX) }),
    // Of the complete texts: what differs may be cut.
    isChanged: old !== undefined && now !== undefined && old !== now,
  }
}

function cutAll(row: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(row).map(([name, text]) => [name, cutText(text, FIELD_LENGTH_MAX)]))
}

function cut(text: string | null, lengthMax: number): string | null {
  return text === null ? null : cutText(text, lengthMax)
}

function cutText(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`
}
