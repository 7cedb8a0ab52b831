import type { LogRecord } from '@tributary/kafka'
import { databaseFilter } from '../../conformance/conformance.ts'
import type { Difference } from '../../conformance/compare-recordings.ts'
import { type ExactJson, ExactNumber, isExactObject, member, parseExactJson } from '../../conformance/exact-json.ts'
import { maskOf } from '../../conformance/masks.ts'
import { type RecordView, ViewBuilder } from '../../conformance/view-builder.ts'
import type { WrittenTopic } from './written-topics.ts'

export interface ComparedTopics {
  readonly records: number
  readonly differences: readonly Difference[]
}

/** What one side has written. */
export interface SideTopics {
  readonly topics: ReadonlyMap<string, WrittenTopic>
  /** By topic. */
  readonly settings: ReadonlyMap<string, string>
}

export interface TopicsToCompare {
  readonly theirs: SideTopics
  readonly ours: SideTopics
  /** The topic of the schema history. */
  readonly history: string
  /** That of the connector of Debezium. */
  readonly config: Readonly<Record<string, string>>
}

/**
 * Compares topics that both sides have written from the same binlog: names, partitions, settings, and of each record
 * partition, key, value, schemas and headers. Positions and times of the server are equal; masked are the times of the
 * connectors' own clocks, those of a snapshot, and the version.
 */
export function compareTopics({ theirs, ours, history, config }: TopicsToCompare): ComparedTopics {
  // A blank list is one that is not set.
  const includesDatabase = databaseFilter(
    Object.fromEntries(Object.entries(config).filter(([, value]) => value !== '')),
  )
  const differences: Difference[] = []
  let records = 0
  for (const topic of new Set([...theirs.topics.keys(), ...ours.topics.keys()])) {
    const [their, our] = [theirs.topics.get(topic), ours.topics.get(topic)]
    if (their === undefined || our === undefined) {
      const parts = { kind: their === undefined ? 'extra' : 'missing', topic, path: 'topic', where: '' } as const
      differences.push({ ...parts, expected: countText(their), actual: countText(our) })
      continue
    }
    const where = ''
    const settings = { kind: 'payload', topic, where } as const
    differences.push(...unequal({ ...settings, path: 'partitions' }, String(their.partitions), String(our.partitions)))
    differences.push(
      ...unequal({ ...settings, path: 'settings' }, theirs.settings.get(topic) ?? '', ours.settings.get(topic) ?? ''),
    )
    const viewsOf = ({ records: all }: WrittenTopic): readonly RecordView[] =>
      inOrder(
        config,
        comparedRecords(
          topic,
          all.map((record) => viewOf(record, { isHistory: topic === history, includesDatabase })),
        ),
      )
    const [theirViews, ourViews] = [viewsOf(their), viewsOf(our)]
    records += theirViews.length
    differences.push(
      ...unequal({ ...settings, path: 'count' }, labels(theirViews, ourViews), labels(ourViews, theirViews)),
    )
    if (theirViews.length !== ourViews.length) continue
    for (const [i, view] of theirViews.entries())
      differences.push(...compareViews(topic, `#${i} ${view.label}`, view, ourViews[i]))
  }
  return { records, differences }
}

function countText(topic: WrittenTopic | undefined): string {
  return topic === undefined ? '' : `${topic.records.length} records`
}

/** Empty when the counts are equal. */
function labels(views: readonly RecordView[], others: readonly RecordView[]): string {
  return views.length === others.length ? '' : `${views.length}: ${views.map(({ label }) => label).join('; ')}`
}

function unequal(
  parts: Omit<Difference, 'expected' | 'actual'>,
  expected: string,
  actual: string,
): readonly Difference[] {
  return expected === actual ? [] : [{ ...parts, expected, actual }]
}

/**
 * Heartbeats are as many as the time allows: the distinct ones are compared. Tributary records only the statements of
 * captured databases.
 */
function comparedRecords(topic: string, views: readonly RecordView[]): readonly RecordView[] {
  const compared = views.filter(({ label }) => label !== NOT_COMPARED)
  if (!topic.includes('heartbeat')) return compared
  return [...new Map(compared.map((view) => [JSON.stringify([...view.schema, ...view.payload]), view])).values()]
}

/**
 * Without a lock, Debezium reads the definitions of tables in several threads: their order, and which one is marked as
 * the last of a snapshot without rows, is up to chance.
 */
function inOrder(config: Readonly<Record<string, string>>, views: readonly RecordView[]): readonly RecordView[] {
  if (config['snapshot.locking.mode'] !== 'none') return views
  const ddlOf = ({ payload }: RecordView): string => payload.get('value.ddl') ?? payload.get('ddl') ?? ''
  const definitions = views.filter((view) => ddlOf(view).startsWith('"CREATE TABLE'))
  const sorted = definitions
    .toSorted((a, b) => (ddlOf(a) < ddlOf(b) ? -1 : 1))
    .map((view) => {
      const isOfSnapshot = /"(true|last)"/.test(view.payload.get('value.source.snapshot') ?? '')
      return isOfSnapshot ? { ...view, payload: new Map([...view.payload, ['value.source.snapshot', '<any>']]) } : view
    })
  let next = 0
  return views.map((view) => (definitions.includes(view) ? (sorted[next++] ?? view) : view))
}

function compareViews(
  topic: string,
  where: string,
  their: RecordView,
  our: RecordView | undefined,
): readonly Difference[] {
  const found: Difference[] = []
  for (const kind of ['schema', 'payload'] as const) {
    const texts = our?.[kind] ?? new Map<string, string>()
    for (const path of new Set([...their[kind].keys(), ...texts.keys()])) {
      const [expected, actual] = [their[kind].get(path) ?? '(absent)', texts.get(path) ?? '(absent)']
      found.push(...unequal({ kind, topic, path, where }, expected, actual))
    }
  }
  return found
}

const NOT_COMPARED = '(not compared)'

interface ViewOptions {
  readonly isHistory: boolean
  readonly includesDatabase: (database: string) => boolean
}

function viewOf(record: LogRecord, { isHistory, includesDatabase }: ViewOptions): RecordView {
  const value = parse(record.value)
  const payload = member(value, 'payload') ?? value
  const database = member(payload, 'databaseName')
  if (typeof database === 'string' && !includesDatabase(database)) return new ViewBuilder().finish(NOT_COMPARED)
  if (isHistory) return historyView(value)
  const isSnapshot = isOfSnapshot(value)
  const view = new ViewBuilder((path, part) => maskFor(path, part, isSnapshot))
  addDocument(view, 'key', parse(record.key))
  addDocument(view, 'value', value)
  view.payload.set('partition', String(record.partition))
  view.payload.set('headers', record.headers.map(({ key }) => key.toString()).join(','))
  for (const { key, value: text } of record.headers)
    view.addPayload(`headers.${key.toString()}`, parse(text), undefined)
  return view.finish(`${record.partition}/${record.key?.toString().slice(-60) ?? 'null'}`)
}

/** A history has positions and times in forms that each side chooses; what counts is the statement and its tables. */
function historyView(value: ExactJson): RecordView {
  const view = new ViewBuilder()
  for (const name of ['databaseName', 'ddl', 'tableChanges']) view.addPayload(name, member(value, name), undefined)
  const ddl = member(value, 'ddl')
  return view.finish(typeof ddl === 'string' ? ddl.replaceAll(/\s+/g, ' ').slice(0, 60) : '')
}

function addDocument(view: ViewBuilder, path: string, document: ExactJson): void {
  if (isExactObject(document) && Object.hasOwn(document, 'schema') && Object.hasOwn(document, 'payload')) {
    view.document(path, document)
  } else view.addPayload(path, document, undefined)
}

/** Text that is not JSON is compared as it is. */
function parse(bytes: Buffer | null): ExactJson {
  if (bytes === null) return null
  try {
    return parseExactJson(bytes.toString())
  } catch {
    return bytes.toString('latin1')
  }
}

function isOfSnapshot(value: ExactJson): boolean {
  const payload = member(value, 'payload') ?? value
  const snapshot = member(member(payload, 'source'), 'snapshot')
  // An unwrapped row has no block with its source.
  return snapshot === undefined || (typeof snapshot === 'string' && snapshot !== 'false')
}

const CLOCK = /^(value|headers)(\.\w+)*\.(_*ts_(ms|us|ns)|connector_processing_time)$/
const SOURCE_CLOCK = /^(value|headers)(\.\w+)*\.(source\.|__source_)ts_(ms|us|ns)$/

function maskFor(path: string, value: ExactJson, isSnapshot: boolean): string | undefined {
  if (path.endsWith('source.version')) return '<version>'
  if (path.startsWith('headers.__debezium.context.')) return maskOf(path, value)
  if (!(value instanceof ExactNumber)) return undefined
  const isMasked = SOURCE_CLOCK.test(path) ? isSnapshot : CLOCK.test(path)
  return isMasked ? maskOf(path.replace(/^.*ts_/, 'ts_').replace(/^.*time$/, 'ts_ms'), value) : undefined
}
