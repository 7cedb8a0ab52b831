import { describeError, CodedError } from '@tributary/support'
import { connectorConfig, type DatabaseServer, eventually, uniqueName, useKafka } from '@tributary/testkit'
import { binlogFiles, BinlogPrinter, reconcile } from './binlog-images.ts'
import type { ChangeReader, ReadChanges } from './change-reader.ts'
import { type Replica, stateDifference } from './replica.ts'
import type { ChangeEvent } from './row-image.ts'
import type { Step } from './steps.ts'
import { historyOf, MARKER_TABLE } from './table-names.ts'
import { TaskReader } from './task-reader.ts'
import { Truth } from './truth.ts'
import { compareEvents, type Verdict } from './verdict.ts'

/** Where the steps of a run come from: a list, or a writer that must know which of them the server accepted. */
export interface StepSource {
  next(): Step | null
  accepted(): void
}

export interface RunOptions {
  readonly database: DatabaseServer
  /** Null: tables are not compared at the end. */
  readonly replica: Replica | null
  /** Statements that hold for the whole run, and again after a restart of the server. */
  readonly globals: readonly string[]
  /** More properties of the connector. */
  readonly more?: Readonly<Record<string, string>>
  readonly openReader?: (options: ReaderOptions) => Promise<ChangeReader>
}

export interface ReaderOptions {
  readonly database: DatabaseServer
  readonly schema: string
  readonly config: Readonly<Record<string, string>>
}

export interface Outcome extends Verdict {
  /** Why the task failed or did not come to an end; null: it did. */
  readonly failure: string | null
  /** Tables with rows that may lack columns in the binlog, with their schema. */
  readonly partial: ReadonlySet<string>
  /** A difference between the recorded truth and the binlog, which would be a defect of the test. */
  readonly testDefect: string | null
  /** Tables that the task stopped, with the reason from its log. */
  readonly stopped: ReadonlyMap<string, string>
  /** Tables that were stopped though every definition of their history is in the binlog. */
  readonly needless: readonly string[]
  /** Tables whose last records differ from the rows of the replica. */
  readonly state: readonly string[]
  /** Tables that were compared with the replica. */
  readonly statesCompared: number
  readonly steps: readonly Step[]
  readonly statements: number
  readonly refused: number
}

/** Time of one wait for the task, far above what it needs. */
const WAIT_MS = 60_000

/** Runs histories against a server and a task of the connector, in a schema of their own. */
export async function runHistories(options: RunOptions, source: StepSource): Promise<Outcome> {
  const { database, replica, globals, more = {}, openReader = openTask } = options
  const { bootstrapServers } = await useKafka()
  const schema = uniqueName('adversary')
  await replica?.follow()
  await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.${MARKER_TABLE} (id INT PRIMARY KEY)`)
  await using truth = await Truth.open(database, schema, globals)
  const properties = { 'poll.interval.ms': '5', 'decimal.handling.mode': 'string', ...more }
  const config = connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more: properties })
  await using reader = await openReader({ database, schema, config })
  await reader.start(limit())
  await reader.untilStreaming(limit())
  await reader.untilMarker(await truth.mark(), limit())
  // Before there would be another snapshot.
  reader.forgetPlaces()
  await database.query('FLUSH BINARY LOGS')
  const printer = new BinlogPrinter(database, schema, (await binlogFiles(database)).at(-1) ?? '')
  const run = new Run({ options, truth, reader, printer })
  let failure: string | null = null
  let moved: readonly string[] = []
  try {
    for (let step = source.next(); step !== null; step = source.next()) if (await run.step(step)) source.accepted()
    await truth.endPrepared()
    moved = await truth.moveAllRows()
    await reader.untilMarker(await truth.mark(), limit())
  } catch (error) {
    failure = error instanceof CodedError ? `${error.code}: ${error.message}` : describeError(error)
  }
  const testDefect = reconcile(truth.logged, await printer.finish())
  const read = await reader.finish()
  const compared = moved.filter((table) => !truth.unlogged.has(historyOf(table)) && !read.stopped.has(table))
  const isComparable = failure === null && testDefect === null && read.leftOut.size === 0
  const state = replica !== null && isComparable ? await compareState(replica, schema, compared, read) : []
  await database.query(`DROP DATABASE ${schema}`)
  const images = truth.changes.flatMap((statement) => statement.images)
  const { stopped, leftOut, unlike } = read
  const events = read.events.filter((event) => !isWithoutChange(event))
  const verdict = compareEvents(images, events, { stopped: new Set(stopped.keys()), leftOut })
  return {
    ...verdict,
    // A table may be stopped only when its rows are read again: its definition can no longer be found then.
    wrong: [...(stopped.size === 0 ? unlike : []), ...verdict.wrong],
    failure,
    testDefect,
    stopped,
    partial: new Set(images.filter(({ isPartial }) => isPartial).map(({ table }) => `${schema}.${table}`)),
    needless: [...stopped.keys()].filter((table) => !truth.unlogged.has(historyOf(table))),
    state,
    statesCompared: replica !== null && isComparable ? compared.length : 0,
    steps: run.steps,
    statements: truth.executed,
    refused: truth.refused,
  }
}

/** The server logs such an update for a new version of a row, and for its replacement by the same values. */
function isWithoutChange({ op, before, after }: ChangeEvent): boolean {
  return op === 'u' && JSON.stringify(before) === JSON.stringify(after)
}

function openTask({ database, schema, config }: ReaderOptions): Promise<ChangeReader> {
  return Promise.resolve(new TaskReader(database.flavor, schema, config))
}

function limit(): AbortSignal {
  return AbortSignal.timeout(WAIT_MS)
}

async function compareState(
  replica: Replica,
  schema: string,
  tables: readonly string[],
  { state }: ReadChanges,
): Promise<readonly string[]> {
  await replica.catchUp()
  const differences: string[] = []
  for (const table of tables) {
    const difference = stateDifference(state.get(table) ?? [], await replica.rowsOf(schema, table))
    if (difference !== null) differences.push(`${table}: ${difference}`)
  }
  await replica.leave()
  return differences
}

interface RunParts {
  readonly options: RunOptions
  readonly truth: Truth
  readonly reader: ChangeReader
  readonly printer: BinlogPrinter
}

/** Executes the steps of a run. */
class Run {
  readonly steps: Step[] = []
  readonly #parts: RunParts

  constructor(parts: RunParts) {
    this.#parts = parts
  }

  /** Returns whether the server accepted its statement. */
  async step(step: Step): Promise<boolean> {
    const { truth, reader } = this.#parts
    this.steps.push(step)
    switch (step.kind) {
      case 'read':
        await reader.untilMarker(await truth.mark(), limit())
        return true
      case 'pause':
        await reader.stop()
        return true
      case 'restart':
        await reader.restartAfter(step.events, await truth.mark(), limit())
        return true
      case 'crash':
        await reader.crashAfter(step.events, step.unstored, await truth.mark(), limit())
        return true
      case 'disconnect':
        await this.#disconnect()
        return true
      case 'purge':
        await this.#purge()
        return true
      default:
        return truth.run(step)
    }
  }

  async #disconnect(): Promise<void> {
    const { database } = this.#parts.options
    const rows = await database.query('SHOW PROCESSLIST')
    for (const { Id: id, User: user, Command: command } of rows)
      if (user === 'debezium' && String(command).startsWith('Binlog Dump')) await database.query(`KILL ${String(id)}`)
  }

  async #purge(): Promise<void> {
    const { options, truth, reader, printer } = this.#parts
    const { database, replica } = options
    await truth.endPrepared()
    await reader.untilMarker(await truth.mark(), limit())
    await database.query('FLUSH BINARY LOGS')
    const file = (await binlogFiles(database)).at(-1) ?? ''
    await reader.untilMarker(await truth.mark(), limit())
    reader.forgetPlaces()
    await replica?.catchUp()
    await printer.passTo(file)
    // A file that a replica still has open is not removed.
    await eventually('the server removes binlog files', async () => {
      await database.query(`PURGE BINARY LOGS TO '${file}'`)
      return (await binlogFiles(database))[0] === file
    })
  }
}
