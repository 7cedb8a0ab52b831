import type { LogRecord } from '@tributary/kafka'
import type { EventField, TopicEvent } from '@tributary/rest-api'
import { isObject, jsonText, type JsonObject, type JsonValue } from '../forms/json-value.ts'
import type { DecodedPart } from './decoded-record.ts'

/** Longer texts are cut. A record of a topic may have megabytes. */
const FIELD_LENGTH_MAX = 4_096
const VALUE_LENGTH_MAX = 16_384
const NAME_LENGTH_MAX = 256
const FIELDS_MAX = 1_000
/** Debezium's block has about fifteen. */
const SOURCE_MEMBERS_MAX = 100
/** All fields of an event together: two hundred events are shown at once. */
const ROW_LENGTH_MAX = 500_000

/** Names of columns may be those of members of `Object.prototype`, such as `constructor`. */
type Row = ReadonlyMap<string, string>

/**
 * A record for people. What is too long is cut or left out, and the event says so.
 *
 * @param placeholders of `placeholderTexts`
 */
export function topicEvent(
  record: LogRecord,
  key: DecodedPart,
  value: DecodedPart,
  placeholders: ReadonlySet<string>,
): TopicEvent {
  const cuts = new Cuts()
  const { partition, offset, timestamp } = record
  const envelope = value.isDocument && isEnvelope(value.document) ? value.document : null
  const before = rowOf(envelope?.['before'])
  const after = rowOf(envelope?.['after'])
  const isUnavailable = [before, after].some((row) => [...row.values()].some((text) => placeholders.has(text)))
  const event = {
    partition,
    offset: String(offset),
    timestamp,
    key: key.text === null ? null : cuts.text(key.text, VALUE_LENGTH_MAX),
    isDocument: { key: key.isDocument, value: value.isDocument },
    op: envelope === null ? null : cuts.text(envelope.op, NAME_LENGTH_MAX),
    source: cuts.members(rowOf(envelope?.['source'])),
    fields: cuts.fields({ before, after, placeholders }),
    value: envelope !== null || value.text === null ? null : cuts.text(value.text, VALUE_LENGTH_MAX),
    isTombstone: record.value === null,
    bytes: (record.key?.length ?? 0) + (record.value?.length ?? 0),
  }
  const notes = [
    key.note,
    value.note,
    isUnavailable ? 'Placeholders stand for values that are not in the binlog.' : null,
    cuts.note,
  ].filter((note) => note !== null)
  return { ...event, note: notes.length === 0 ? null : notes.join(' ') }
}

/**
 * The JSON texts that stand for values which the binlog does not have: of texts, bytes and JSON columns.
 *
 * @param property `unavailable.value.placeholder`: a text, or `hex:` and the digits of bytes
 */
export function placeholderTexts(property: string): ReadonlySet<string> {
  const bytes = property.startsWith('hex:') ? Buffer.from(property.slice('hex:'.length), 'hex') : Buffer.from(property)
  const text = bytes.toString()
  return new Set([text, bytes.toString('base64'), JSON.stringify({ [text]: text })].map((each) => JSON.stringify(each)))
}

interface Envelope extends JsonObject {
  readonly op: string
}

/** A row may have columns with the names of these members. */
function isEnvelope(document: JsonValue | undefined): document is Envelope {
  if (!isObject(document) || typeof document['op'] !== 'string' || !isObject(document['source'])) return false
  const sides = [document['before'], document['after']]
  return sides.every((side) => side === undefined || side === null || isObject(side))
}

/** The JSON texts of the members; none for null. */
function rowOf(value: JsonValue | undefined): Row {
  if (!isObject(value)) return new Map()
  return new Map(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, jsonText(member)]])),
  )
}

interface Rows {
  readonly before: Row
  readonly after: Row
  readonly placeholders: ReadonlySet<string>
}

/** Shortens one event, and remembers whether it had to. */
class Cuts {
  #isCut = false
  #leftOut = 0

  text(text: string, lengthMax: number): string {
    if (text.length <= lengthMax) return text
    this.#isCut = true
    const end = /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax
    // A slice would keep the whole text in memory.
    return `${Buffer.from(text.slice(0, end)).toString()}…`
  }

  members(row: Row): Readonly<Record<string, string>> {
    this.#leftOut += Math.max(0, row.size - SOURCE_MEMBERS_MAX)
    return Object.fromEntries(
      Array.from(row)
        .slice(0, SOURCE_MEMBERS_MAX)
        .map(([name, text]) => [this.text(name, NAME_LENGTH_MAX), this.text(text, FIELD_LENGTH_MAX)]),
    )
  }

  fields(rows: Rows): readonly EventField[] {
    const names = [...new Set([...rows.after.keys(), ...rows.before.keys()])]
    const fields: EventField[] = []
    let length = 0
    for (const name of names.slice(0, FIELDS_MAX)) {
      const field = this.#field(name, rows)
      length += field.name.length + (field.before?.length ?? 0) + (field.after?.length ?? 0)
      if (length > ROW_LENGTH_MAX) break
      fields.push(field)
    }
    this.#leftOut += names.length - fields.length
    return fields
  }

  #field(name: string, { before, after, placeholders }: Rows): EventField {
    const [old, now] = [before.get(name), after.get(name)]
    return {
      name: this.text(name, NAME_LENGTH_MAX),
      ...(old === undefined ? {} : { before: this.text(old, FIELD_LENGTH_MAX) }),
      ...(now === undefined ? {} : { after: this.text(now, FIELD_LENGTH_MAX) }),
      // Of the complete texts: what differs may be cut. Whether a value that is not known has changed is not known.
      isChanged:
        old !== undefined && now !== undefined && old !== now && !placeholders.has(old) && !placeholders.has(now),
    }
  }

  get note(): string | null {
    const notes = [
      ...(this.#isCut ? ['Long values are cut.'] : []),
      ...(this.#leftOut > 0 ? [`${this.#leftOut} fields are left out: the record is too large.`] : []),
    ]
    return notes.length === 0 ? null : notes.join(' ')
  }
}
