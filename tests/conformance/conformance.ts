import { readFileSync } from 'node:fs'
import type { Database } from '@tributary/testkit'
import { compareRecordings, type Difference } from './compare-recordings.ts'
import { member } from './exact-json.ts'
import { type GoldenScript, parseGoldenScript } from './golden-script.ts'
import { topicKind } from './record-view.ts'
import { readRecording, type RecordedRecord, type Recording } from './recording.ts'
import { runScript, type ScriptRunOptions } from './script-run.ts'
import { differencesFromSelect } from './select-check.ts'

const FIXTURES = new URL('../../fixtures/golden/', import.meta.url)

/** A script and the variants of it that are compared. */
export interface GoldenCase {
  readonly name: string
  /** Default: the script without a variant. */
  readonly variants?: readonly string[]
  /** Only records of tables are compared. */
  readonly rowsOnly?: true
  /** Statements that are skipped, because they enable something that this version does not support yet. */
  readonly skips?: RegExp
  /** Properties of the script that this version refuses and that change no compared record. */
  readonly unset?: readonly string[]
  /** Properties in addition to those of the script. */
  readonly set?: Readonly<Record<string, string>>
  /** Variants whose task must fail, and the text of its trace. */
  readonly fails?: Readonly<Record<string, RegExp>>
  /** Whether the last record of each row is compared with SELECT; for scripts in which the reference dies early. */
  readonly selectsRows?: true
  /** Columns of types and charsets that this version leaves out of events, by topic. */
  readonly columnsLeftOut?: Readonly<Record<string, readonly string[]>>
  /**
   * The connector writes this format, and all of each record is compared, with the stored offset at the end; default
   * v1.
   */
  readonly format?: 'v2'
  /**
   * The topic of the script's last change. Default: the end is reached when all topics have as many changes as
   * recorded.
   */
  readonly endsIn?: string
  /** Changes that the reference has recorded and that this connector does not write, by topic. */
  readonly fewer?: Readonly<Record<string, number>>
}

export function loadScript(name: string): GoldenScript {
  return parseGoldenScript(readFileSync(new URL(`scripts/${name}.sql`, FIXTURES), 'utf8'))
}

/** The differences of a run's records. */
export interface CaseResult {
  readonly differences: readonly Difference[]
  /** Differences from the rows in the tables at the end, as text. */
  readonly fromSelect: readonly string[]
}

/** The result of each variant, by the name of its recording. */
export async function compareCase(
  golden: GoldenCase,
  script: GoldenScript,
  servers: Pick<ScriptRunOptions, 'service' | 'kafka' | 'bootstrapServers'> & { readonly database: Database },
): Promise<ReadonlyMap<string, CaseResult>> {
  const { variants = [''], skips, unset = [], set = {}, fails = {}, columnsLeftOut = {}, selectsRows = false } = golden
  const skipsStatement = (sql: string): boolean => skips?.test(sql) ?? false
  const isSameFormat = golden.format === 'v2'
  const expectedOf = (variant: string): Recording => readRecording(recordingFile(golden, script, variant))
  const endsInRow = (variant: string): boolean => member(expectedOf(variant).offset ?? undefined, 'event') !== undefined
  const { recordings, selected } = await runScript({
    script,
    variants,
    skipsStatement,
    unset,
    selectsRows,
    more: { ...set, ...(isSameFormat ? { 'source.struct.version': 'v2' } : {}) },
    ...(isSameFormat ? { endCounts: endCounts(golden, expectedOf), endsInRow } : {}),
    ...servers,
  })
  const results = new Map<string, CaseResult>()
  for (const [variant, actual] of recordings) {
    const includesDatabase = databaseFilter({ ...script.config, ...script.variants[variant] })
    const skipsTopic = (topic: string): boolean => golden.rowsOnly === true && topicKind(topic) !== 'data'
    const options = { includesDatabase, skipsTopic, columnsLeftOut, isSameFormat, fails: fails[variant] }
    const differences = compareRecordings(expectedOf(variant), actual, options)
    const fromSelect = selectsRows && variant === '' ? differencesFromSelect(actual, selected) : []
    results.set(recordingName(golden, variant), { differences, fromSelect })
  }
  return results
}

function recordingName({ name }: GoldenCase, variant: string): string {
  return name + (variant === '' ? '' : `~${variant}`)
}

function recordingFile(golden: GoldenCase, script: GoldenScript, variant: string): URL {
  const suffix = script.server === 'mariadb' ? '@mariadb' : ''
  return new URL(`expected/${recordingName(golden, variant)}${suffix}.jsonl.gz`, FIXTURES)
}

/** The end of a run in the format of the reference, which is that of the recording. */
function endCounts(
  { endsIn, fewer = {} }: GoldenCase,
  expectedOf: (variant: string) => Recording,
): (variant: string) => ReadonlyMap<string, number> {
  const isAwaited = (topic: string): boolean => (endsIn === undefined ? topicKind(topic) === 'data' : topic === endsIn)
  return (variant) => {
    const topics = [...expectedOf(variant).topics].filter(([topic]) => isAwaited(topic))
    const changes = (records: readonly RecordedRecord[]): number => records.filter(({ value }) => value !== null).length
    return new Map(topics.map(([topic, records]) => [topic, changes(records) - (fewer[topic] ?? 0)]))
  }
}

/** The databases whose DDL Tributary records: the captured ones, and none (the empty name). */
export function databaseFilter(config: Readonly<Record<string, string>>): (database: string) => boolean {
  const matches = (property: string, database: string): boolean =>
    (config[property] ?? '').split(',').some((name) => new RegExp(`^${name.trim()}$`, 'i').test(database))
  const isIncluded = (database: string): boolean =>
    config['database.include.list'] === undefined || matches('database.include.list', database)
  const isExcluded = (database: string): boolean =>
    config['database.exclude.list'] !== undefined && matches('database.exclude.list', database)
  return (database) => database === '' || (isIncluded(database) && !isExcluded(database) && !database.startsWith('zz_'))
}
