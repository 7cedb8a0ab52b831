import { canonicalText } from './exact-json.ts'
import { offsetText } from './masks.ts'
import { databaseOf, type TopicKind, topicKind, viewOf } from './record-view.ts'
import type { RecordedRecord, Recording } from './recording.ts'
import type { RecordView } from './view-builder.ts'
import { withoutColumns } from './without-columns.ts'

/** A difference between two recordings: one place of one record, or a whole record. */
export interface Difference {
  readonly kind: 'schema' | 'payload' | 'missing' | 'extra' | 'state' | 'offset'
  readonly topic: string
  /** `after.price`, `tableChanges[0].table.columns[2].length`; for a whole record its label. */
  readonly path: string
  readonly expected: string
  readonly actual: string
  /** The record: its number in the recording of the reference, and its label. */
  readonly where: string
}

export interface ComparisonOptions {
  /** Whether DDL of this database is compared: Tributary records only that of captured databases. */
  readonly includesDatabase: (database: string) => boolean
  readonly skipsTopic?: (topic: string) => boolean
  /** Columns that Tributary leaves out of events, by topic: they are removed from the expected records. */
  readonly columnsLeftOut?: Readonly<Record<string, readonly string[]>>
  /** Whether both have the same record format: all of each record is compared, and the stored offset at the end. */
  readonly isSameFormat?: boolean
  /** The task must fail with this text in its trace; default: it runs. */
  readonly fails?: RegExp | undefined
}

/**
 * Compares the records of two recordings: keys, rows, operations, tombstones, order within a topic, statements and
 * table structures. If the reference died, it compares only what that had written before.
 */
export function compareRecordings(expected: Recording, actual: Recording, options: ComparisonOptions): Difference[] {
  const differences: Difference[] = []
  const { fails } = options
  if (fails === undefined ? actual.state !== 'RUNNING' : !fails.test(actual.state)) {
    const parts = { kind: 'state', topic: '', path: 'state', where: '' } as const
    differences.push({ ...parts, expected: fails?.source ?? 'RUNNING', actual: actual.state })
  }
  for (const topic of [...new Set([...expected.topics.keys(), ...actual.topics.keys()])].toSorted()) {
    const kind = topicKind(topic)
    if (kind === null || options.skipsTopic?.(topic) === true) continue
    if (kind === 'transaction' && options.isSameFormat !== true) continue
    const leftOut = options.columnsLeftOut?.[topic] ?? []
    const theirs = viewsOf(kind, recordsOf(expected, topic, leftOut), options)
    const all = viewsOf(kind, recordsOf(actual, topic), options)
    const ours = expected.state === 'FAILED' ? all.slice(0, theirs.length) : all
    differences.push(...compareTopic(topic, theirs, ours))
  }
  if (options.isSameFormat === true) differences.push(...compareOffsets(expected, actual))
  return differences
}

function compareOffsets(theirs: Recording, ours: Recording): Difference[] {
  const [expected, actual] = [offsetText(theirs.offset), offsetText(ours.offset)]
  return expected === actual ? [] : [{ kind: 'offset', topic: '', path: 'offset', expected, actual, where: '' }]
}

function recordsOf(recording: Recording, topic: string, leftOut: readonly string[] = []): readonly RecordedRecord[] {
  const records = recording.topics.get(topic) ?? []
  return leftOut.length === 0 ? records : records.map((record) => withoutColumns(record, leftOut))
}

function viewsOf(kind: TopicKind, records: readonly RecordedRecord[], options: ComparisonOptions): RecordView[] {
  const compared = comparedRecords(kind, records, options)
  return compared.map((record) => viewOf(kind, record, options.isSameFormat === true))
}

function comparedRecords(
  kind: TopicKind,
  records: readonly RecordedRecord[],
  { includesDatabase }: ComparisonOptions,
): readonly RecordedRecord[] {
  switch (kind) {
    case 'data':
      return records
    case 'schemaChange':
    case 'history':
      return records.filter((record) => includesDatabase(databaseOf(record)))
    case 'transaction':
      return withoutMarkers(records)
  }
}

/** The reference had no markers of its progress while it was recorded: the transactions that write them are left out. */
function withoutMarkers(records: readonly RecordedRecord[]): readonly RecordedRecord[] {
  const keyOf = ({ key }: RecordedRecord): string => canonicalText(key)
  const isOfMarker = ({ value }: RecordedRecord): boolean => /"data_collection":"zz_/.test(canonicalText(value))
  const markers = new Set(records.filter(isOfMarker).map(keyOf))
  return records.filter((record) => !markers.has(keyOf(record)))
}

function compareTopic(topic: string, theirs: readonly RecordView[], ours: readonly RecordView[]): Difference[] {
  const differences: Difference[] = []
  for (const [i, j] of pair(theirs, ours)) {
    const their = i === null ? undefined : theirs[i]
    const our = j === null ? undefined : ours[j]
    if (their === undefined) {
      const label = our?.label ?? ''
      differences.push({ kind: 'extra', topic, path: label, expected: '', actual: `#${j}`, where: '' })
    } else if (our === undefined) {
      differences.push({ kind: 'missing', topic, path: their.label, expected: `#${i}`, actual: '', where: `#${i}` })
    } else {
      const where = `#${i} ${their.label}`
      for (const kind of ['schema', 'payload'] as const) {
        for (const found of compareTexts(their[kind], our[kind])) differences.push({ kind, topic, where, ...found })
      }
    }
  }
  return differences
}

function compareTexts(
  expected: ReadonlyMap<string, string>,
  actual: ReadonlyMap<string, string>,
): Pick<Difference, 'path' | 'expected' | 'actual'>[] {
  const found = [...new Set([...expected.keys(), ...actual.keys()])]
    .map((path) => ({ path, expected: expected.get(path) ?? '(absent)', actual: actual.get(path) ?? '(absent)' }))
    .filter((texts) => texts.expected !== texts.actual)
  // A list with other items is one difference: those inside of it are not counted.
  return found.filter(({ path }) => !found.some((outer) => path !== outer.path && path.startsWith(`${outer.path}[`)))
}

type Pairing = readonly (readonly [theirs: number | null, ours: number | null])[]

/**
 * Matches the records of both: by index if the counts are equal, else by the longest common subsequence of labels, so
 * that one missing record is one difference.
 */
function pair(theirs: readonly RecordView[], ours: readonly RecordView[]): Pairing {
  if (theirs.length === ours.length) return theirs.map((_, i) => [i, i])
  const common = commonLengths(theirs, ours)
  const pairs: [number | null, number | null][] = []
  let i = 0
  let j = 0
  while (i < theirs.length || j < ours.length) {
    if (i < theirs.length && j < ours.length && theirs[i]?.label === ours[j]?.label) pairs.push([i++, j++])
    else if ((common[i + 1]?.[j] ?? -1) >= (common[i]?.[j + 1] ?? -1) && i < theirs.length) pairs.push([i++, null])
    else pairs.push([null, j++])
  }
  return pairs
}

/** `[i][j]`: length of the longest common subsequence of what follows i there and j here. */
function commonLengths(theirs: readonly RecordView[], ours: readonly RecordView[]): readonly Uint32Array[] {
  const table = Array.from({ length: theirs.length + 1 }, () => new Uint32Array(ours.length + 1))
  for (let i = theirs.length - 1; i >= 0; i--) {
    const row = table[i] as Uint32Array
    const next = table[i + 1] as Uint32Array
    for (let j = ours.length - 1; j >= 0; j--) {
      const isSame = theirs[i]?.label === ours[j]?.label
      row[j] = isSame ? (next[j + 1] as number) + 1 : Math.max(next[j] as number, row[j + 1] as number)
    }
  }
  return table
}

/** Each distinct difference once, rows before and after together, with its count and the first record that has it. */
export function formatDifferences(differences: readonly Difference[]): string {
  const groups = Map.groupBy(differences, ({ kind, topic, path, expected, actual }) =>
    [`[${kind}] ${topic} ${path.replace(/^(before|after)\b/, 'row')}`, expected, actual].join('\0'),
  )
  const texts = [...groups].map(([key, [first, ...more]]) => {
    const [title] = key.split('\0')
    const count = more.length === 0 ? '' : ` (${more.length + 1} times)`
    return `${title}${count}\n   ${first?.where}\n   - ${clip(first?.expected)}\n   + ${first?.kind === 'state' ? first.actual : clip(first?.actual)}`
  })
  return texts.join('\n')
}

function clip(text = ''): string {
  return text.length > 300 ? `${text.slice(0, 297)}…` : text
}
