import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { LogRecord } from '@tributary/kafka'
import { canonicalText, type ExactJson, isExactArray, member, parseExactJson } from './exact-json.ts'

/** A record with its documents parsed; a null of Kafka is null. */
export interface RecordedRecord {
  readonly key: ExactJson
  readonly value: ExactJson
  /** In the order of the record; values as text. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** The records that a connector wrote in one run of a script, by topic, in order. The topic prefix is `PFX`. */
export interface Recording {
  /** State of the task at the end. */
  readonly state: string
  readonly topics: ReadonlyMap<string, readonly RecordedRecord[]>
  /** The offset stored for the stopped connector; null when there is none. */
  readonly offset: ExactJson
}

/** Reads a recording of the reference: lines of JSON, as fixtures/golden/README.md describes them. */
export function readRecording(file: URL): Recording {
  const topics = new Map<string, RecordedRecord[]>()
  let state = ''
  let offset: ExactJson = null
  for (const line of gunzipSync(readFileSync(file)).toString().split('\n')) {
    if (line === '') continue
    const document = parseExactJson(line)
    const topic = member(document, 'topic')
    if (topic === undefined) {
      state ||= textOf(member(document, 'state'))
      offset = storedOffset(document) ?? offset
    } else addTo(topics, textOf(topic), recordOf(document))
  }
  return { state, topics, offset }
}

/** The offset in the line with the answer of `GET /connectors/{name}/offsets`. */
function storedOffset(document: ExactJson): ExactJson | undefined {
  const offsets = member(member(document, 'offsets'), 'offsets')
  return isExactArray(offsets) ? member(offsets[0], 'offset') : undefined
}

function recordOf(document: ExactJson): RecordedRecord {
  const headers = member(document, 'headers')
  return {
    key: member(document, 'key') ?? null,
    value: member(document, 'value') ?? null,
    headers: isExactArray(headers) ? headers.map((pair) => headerOf(pair)) : [],
  }
}

function headerOf(pair: ExactJson): readonly [string, string] {
  const [name, value] = isExactArray(pair) ? pair : []
  return [textOf(name), textOf(value)]
}

function textOf(value: ExactJson | undefined): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : canonicalText(value)
}

function addTo(topics: Map<string, RecordedRecord[]>, topic: string, record: RecordedRecord): void {
  const records = topics.get(topic)
  if (records === undefined) topics.set(topic, [record])
  else records.push(record)
}

/** The records and the offset of a Tributary connector. */
export interface ConnectorOutput {
  /** Its topic prefix. */
  readonly prefix: string
  readonly state: string
  /** The records of each topic are in the order of their offsets. */
  readonly records: readonly LogRecord[]
  readonly offset: Buffer | null
}

/** The recording of a Tributary connector. */
export function recordingOf({ prefix, state, records, offset }: ConnectorOutput): Recording {
  const topics = new Map<string, RecordedRecord[]>()
  // The second replacement is for `avro_unicode`, which escapes the underscore.
  const clean = (text: string): string =>
    text.replaceAll(prefix, 'PFX').replaceAll(prefix.replaceAll('_', '_u005f'), 'PFX')
  const documentOf = (bytes: Buffer | null): ExactJson =>
    bytes === null ? null : parseExactJson(clean(bytes.toString()))
  for (const { topic, key, value, headers } of records) {
    addTo(topics, clean(topic), {
      key: documentOf(key),
      value: documentOf(value),
      headers: headers.map((header) => [header.key.toString(), clean(header.value?.toString() ?? '')]),
    })
  }
  return { state, topics, offset: documentOf(offset) }
}
