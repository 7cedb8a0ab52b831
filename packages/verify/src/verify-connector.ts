import type { ConfigMap } from '@tributary/connect-api'
import { type ComparableSource, type ComparableTable, readComparableSource } from '@tributary/connector-mysql'
import { MySqlConnection } from '@tributary/mysql'
import type { Kafka } from '@tributary/kafka'
import type { VerifiedTable } from '@tributary/rest-api'
import { type Clock, CodedError, type Logger, StoppedError, toError } from '@tributary/support'
import { compareTable } from './compare-table.ts'
import { verifyErrors } from './errors.ts'
import { TableResult } from './result.ts'
import type { StreamProgress } from './stream-progress.ts'
import { TablePlan } from './table-plan.ts'
import { changingTransformations } from './topic/changing-transformations.ts'
import { type ConverterOptions, RecordDecoder } from './topic/record-decoder.ts'
import { TopicLog } from './topic/topic-log.ts'
import type { Decoders } from './topic/topic-record.ts'

export interface VerifyOptions {
  readonly connector: string
  /** Of the connector, without references. */
  readonly config: ConfigMap
  readonly converters: { readonly key: ConverterOptions; readonly value: ConverterOptions }
  /** The cluster of the records. */
  readonly kafka: Kafka
  /** `database.table`; empty: all that the connector captures. */
  readonly tables: readonly string[]
  /** Null: no limit. */
  readonly rowsPerSecond: number | null
  /** Memory for the keys of a table; default 200 MB. */
  readonly memoryBytesMax?: number
  /** Returns how far the stream is, after it has stored its offset. */
  readonly readProgress: (signal: AbortSignal) => Promise<StreamProgress>
  /** Called now and then with the state of all tables. */
  readonly onProgress: (tables: readonly VerifiedTable[]) => void
  readonly clock: Clock
  readonly logger: Logger
}

/** Two million keys need 80 MB. */
const MEMORY_BYTES_MAX = 200_000_000
const REPORT_MS = 500
/** A lost connection begins the table again. */
const ATTEMPTS_MAX = 5
const PAUSE_MS = 2_000

/**
 * Compares the tables of a connector with their topics, one after the other. The results are in the reports of
 * `onProgress`; a table that cannot be compared is refused in its result.
 *
 * @throws VERIFY_TABLES, VERIFY_TRANSFORMS, VERIFY_OPERATIONS, VERIFY_CONVERTER, VERIFY_STREAM_STOPPED,
 * VERIFY_STREAM_LATE; errors of the database and the brokers; StoppedError
 */
export async function verifyConnector(options: VerifyOptions, signal: AbortSignal): Promise<void> {
  refuseTransformations(options)
  const decoders = {
    key: new RecordDecoder(options.converters.key, 'key'),
    value: new RecordDecoder(options.converters.value, 'value'),
  }
  const source = await readComparableSource(options.config, { logger: options.logger, signal })
  refuseSkippedChanges(options, source)
  const tables = chosenTables(options, source)
  const results = tables.map(({ database, name, topic }) => new TableResult(`${database}.${name}`, topic))
  const reports = new Reports(options, results)
  await estimateRows(source, tables, results, signal)
  reports.send()
  for (const [i, table] of tables.entries()) {
    const result = results[i]
    if (result === undefined) continue
    await compareOne({ options, source, table, result, decoders, reports, signal })
    reports.send()
  }
}

/** Limits how often the state is reported. */
class Reports {
  readonly #options: VerifyOptions
  readonly #results: readonly TableResult[]
  #lastMs = 0

  constructor(options: VerifyOptions, results: readonly TableResult[]) {
    this.#options = options
    this.#results = results
  }

  send(): void {
    this.#lastMs = this.#options.clock.monotonicMs()
    this.#options.onProgress(this.#results.map((result) => result.toDocument()))
  }

  sendWhenDue(): void {
    if (this.#options.clock.monotonicMs() - this.#lastMs >= REPORT_MS) this.send()
  }
}

interface OneTable {
  readonly options: VerifyOptions
  readonly source: ComparableSource
  readonly table: ComparableTable
  readonly result: TableResult
  readonly decoders: Decoders
  readonly reports: Reports
  readonly signal: AbortSignal
}

async function compareOne(parts: OneTable): Promise<void> {
  const { options, result, signal } = parts
  const { clock, logger } = options
  const startMs = clock.monotonicMs()
  for (let attempt = 1; ; attempt++) {
    try {
      result.restart()
      await compareOnce(parts)
      break
    } catch (thrown) {
      const error = toError(thrown)
      if (error instanceof StoppedError || attempt === ATTEMPTS_MAX || !isLost(error)) throw error
      logger.warn(`The comparison of ${result.table} lost its connection and begins again`, { error })
      await clock.sleep(PAUSE_MS, signal)
    }
  }
  result.durationMs = Math.round(clock.monotonicMs() - startMs)
}

function isLost(error: Error): boolean {
  return error instanceof CodedError && error.code === 'MYSQL_CONNECTION_LOST'
}

async function compareOnce({ options, source, table, result, decoders, reports, signal }: OneTable): Promise<void> {
  const { clock } = options
  const engine = await engineOf(source, table, signal)
  if (!CONSISTENT_ENGINES.has(engine.toLowerCase())) {
    return result.refuse(`its engine ${engine} has no consistent reads, so that it cannot be read as of one position`)
  }
  const plan = TablePlan.of(table, source, decoders.value.isAvro)
  if (typeof plan === 'string') return result.refuse(plan)
  result.state = 'RUNNING'
  result.excluded = plan.excluded
  const topic = new TopicLog(options.kafka, table.topic)
  await compareTable({
    plan,
    source,
    topic,
    loss: (await topic.loss(signal)) ?? table.withoutSnapshot,
    decoders,
    progress: { connector: options.connector, read: options.readProgress, clock },
    rowsPerSecond: options.rowsPerSecond,
    pageRows: pageRowsOf(result.rowBytes),
    memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
    result,
    onProgress: () => reports.sendWhenDue(),
    clock,
    signal,
  })
  await refuseChangedDefinition({ options, source, table, result, signal })
}

/** Few enough rows to be held at once, enough to make a round trip negligible. */
function pageRowsOf(rowBytes: number): number {
  return Math.max(PAGE_ROWS_MIN, Math.min(PAGE_ROWS_MAX, Math.floor(PAGE_BYTES / Math.max(1, rowBytes))))
}

const PAGE_BYTES = 4 * 2 ** 20
const PAGE_ROWS_MIN = 10
const PAGE_ROWS_MAX = 5_000

/** Engines whose transactions see one moment. */
const CONSISTENT_ENGINES: ReadonlySet<string> = new Set(['innodb', 'rocksdb', 'xtradb'])

async function engineOf(source: ComparableSource, table: ComparableTable, signal: AbortSignal): Promise<string> {
  await using connection = await MySqlConnection.open(source.connection, signal)
  const [row] = await connection.query(
    `SELECT engine FROM information_schema.tables WHERE table_schema = ${literal(table.database)} AND table_name = ${literal(table.name)}`,
    'reading the engine of a table',
    { signal },
  )
  return row?.[0] ?? 'unknown'
}

function literal(text: string): string {
  return `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`
}

/** Rows and records were compared by the columns that the table had in the beginning. */
async function refuseChangedDefinition({
  options,
  table,
  result,
  signal,
}: Pick<OneTable, 'options' | 'source' | 'table' | 'result' | 'signal'>): Promise<void> {
  const { tables } = await readComparableSource(options.config, { logger: options.logger, signal })
  const now = tables.find(({ database, name }) => database === table.database && name === table.name)
  if (now === undefined || withoutCounter(now.definition) !== withoutCounter(table.definition)) {
    result.refuse('its definition changed while it was compared: start the comparison again')
  }
}

function withoutCounter(definition: string): string {
  return definition.replace(/ AUTO_INCREMENT=\d+/, '')
}

function refuseTransformations({ connector, config }: VerifyOptions): void {
  const changing = changingTransformations(config)
  if (changing.length > 0) throw verifyErrors.VERIFY_TRANSFORMS({ connector, transforms: changing.join(', ') })
}

function refuseSkippedChanges({ connector }: VerifyOptions, source: ComparableSource): void {
  const skipped = [...source.skippedOperations].filter((operation) => operation !== 't' && operation !== 'none')
  if (skipped.length > 0) {
    throw verifyErrors.VERIFY_OPERATIONS({ connector, property: `skipped.operations=${skipped.join(',')}` })
  }
  if (source.leavesOutServers) {
    throw verifyErrors.VERIFY_OPERATIONS({ connector, property: 'gtid.source.includes, gtid.source.excludes' })
  }
}

function chosenTables({ connector, tables }: VerifyOptions, source: ComparableSource): readonly ComparableTable[] {
  if (tables.length === 0) return source.tables
  const nameOf = ({ database, name }: ComparableTable): string => `${database}.${name}`
  const unknown = tables.filter((name) => !source.tables.some((table) => nameOf(table) === name))
  if (unknown.length > 0) throw verifyErrors.VERIFY_TABLES({ connector, tables: unknown.join(', ') })
  return source.tables.filter((table) => tables.includes(nameOf(table)))
}

async function estimateRows(
  source: ComparableSource,
  tables: readonly ComparableTable[],
  results: readonly TableResult[],
  signal: AbortSignal,
): Promise<void> {
  await using connection = await MySqlConnection.open(source.connection, signal)
  const databases = [...new Set(tables.map(({ database }) => database))]
  for (const database of databases) {
    const rows = await connection.query(
      `SELECT table_name, table_rows, avg_row_length FROM information_schema.tables WHERE table_schema = ${literal(database)}`,
      'estimating the rows of the tables',
      { signal },
    )
    const estimates = new Map(rows.map(([name, count, bytes]) => [name ?? '', { count, bytes }]))
    for (const [i, table] of tables.entries()) {
      const found = table.database === database ? estimates.get(table.name) : undefined
      const result = results[i]
      if (found === undefined || result === undefined) continue
      result.rowsEstimated = Number(found.count ?? 0)
      result.rowBytes = Number(found.bytes ?? 0)
    }
  }
}
