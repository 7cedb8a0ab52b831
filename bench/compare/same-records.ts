import { readTopic } from '@tributary/testkit'
import type { LogRecord } from '@tributary/kafka'
import { assert } from '@tributary/support'
import { readsJson, type RecordReader } from '../measure/record-reader.ts'

export interface TopicsOfConnector {
  /** The connector's `topic.prefix`, which names of topics and schemas contain. */
  readonly prefix: string
  readonly topics: readonly string[]
}

/**
 * Throws unless two connectors have written equal records: the same number in each topic, byte-identical keys in the
 * same order, and equal values and schemas. Ignores what must differ: the connector's name, the writer's version, the
 * time of writing, and the time of a snapshot.
 */
export async function requireSameRecords(
  bootstrapServers: readonly string[],
  ours: TopicsOfConnector,
  theirs: TopicsOfConnector,
  read: RecordReader = readsJson,
): Promise<void> {
  for (const [index, topic] of ours.topics.entries()) {
    const other = theirs.topics[index]
    assert(other !== undefined, 'both have the same number of topics')
    const left = canonicalRecords(await read(await readTopic(bootstrapServers, topic)), ours.prefix)
    const right = canonicalRecords(await read(await readTopic(bootstrapServers, other)), theirs.prefix)
    if (left.length !== right.length) {
      throw new Error(`${topic} has ${left.length} records, but ${other} has ${right.length}`)
    }
    const differing = left.findIndex((text, i) => text !== right[i])
    if (differing < 0) continue
    throw new Error(
      `record ${differing} of ${topic} differs from that of ${other}:\n  ${left[differing]}\n  ${right[differing]}`,
    )
  }
}

function canonicalRecords(records: readonly LogRecord[], prefix: string): readonly string[] {
  return records.map(({ key, value }) => {
    const keyText = key?.toString().replaceAll(prefix, 'PREFIX') ?? 'none'
    return `${keyText} → ${value === null ? 'none' : canonicalValue(value.toString().replaceAll(prefix, 'PREFIX'))}`
  })
}

/** Returns the same text for equal values: members in alphabetical order, without those that must differ. */
export function canonicalValue(text: string): string {
  const document = JSON.parse(text.replaceAll(LONG_INTEGER, '$1"$2"')) as Readonly<Record<string, unknown>> | null
  return JSON.stringify(document, (name, value: unknown) => {
    if (!isObject(value)) return value
    const isSnapshot = 'snapshot' in value && value['snapshot'] !== 'false'
    const members = Object.entries(value).filter(
      ([member]) => !(name === 'source' ? isIgnoredInSource(member, isSnapshot) : isEnvelope(value) && isTime(member)),
    )
    return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** JSON.parse would round such a number. */
const LONG_INTEGER = /([:[,])(-?\d{16,})(?=[,}\]])/g

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEnvelope(value: Readonly<Record<string, unknown>>): boolean {
  return 'op' in value && 'source' in value
}

function isIgnoredInSource(name: string, isSnapshot: boolean): boolean {
  return name === 'version' || (isSnapshot && isTime(name))
}

function isTime(name: string): boolean {
  return name === 'ts_ms' || name === 'ts_us' || name === 'ts_ns'
}
