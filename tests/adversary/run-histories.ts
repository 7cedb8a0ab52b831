import { describeError, CodedError } from '@tributary/support'
import { connectorConfig, type Database, uniqueName, useKafka } from '@tributary/testkit'
import { differenceOf, printedImages } from './binlog-images.ts'
import type { Step } from './steps.ts'
import { TaskReader } from './task-reader.ts'
import { MARKER_TABLE, Truth } from './truth.ts'
import { compareEvents, type Verdict } from './verdict.ts'

/** Where the steps of a run come from: a list, or a writer that must know which of them the server accepted. */
export interface StepSource {
  next(): Step | null
  accepted(): void
}

export interface Outcome extends Verdict {
  /** Why the task failed or did not come to an end; null: it did. */
  readonly failure: string | null
  /** A difference between the recorded truth and the binlog, which would be a defect of the test. */
  readonly testDefect: string | null
  /** Tables that the task stopped, with the reason from its log. */
  readonly stopped: ReadonlyMap<string, string>
  /** Tables that were stopped though every definition of their history is in the binlog. */
  readonly needless: readonly string[]
  readonly steps: readonly Step[]
  readonly statements: number
  readonly refused: number
}

/** Time of one wait for the task, far above what it needs. */
const WAIT_MS = 60_000

/** Runs histories against a server and a task of the connector, in a schema of their own. */
export async function runHistories(database: Database, source: StepSource): Promise<Outcome> {
  const { bootstrapServers } = await useKafka()
  const schema = uniqueName('adversary')
  await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.${MARKER_TABLE} (id INT PRIMARY KEY)`)
  await using truth = await Truth.open(database, schema)
  const more = { 'poll.interval.ms': '5', 'decimal.handling.mode': 'string' }
  const config = connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more })
  await using reader = new TaskReader(database.flavor, schema, config)
  const deadline = AbortSignal.timeout(WAIT_MS)
  await reader.start(deadline)
  await reader.untilStreaming(deadline)
  const file = await newBinlogFile(database)
  const steps: Step[] = []
  let failure: string | null = null
  try {
    for (let step = source.next(); step !== null; step = source.next()) {
      steps.push(step)
      if (await truth.run(step)) source.accepted()
      const limit = AbortSignal.timeout(WAIT_MS)
      if (step.kind === 'read') await reader.untilMarker(await truth.mark(), limit)
      if (step.kind === 'restart') await reader.restartAfter(step.events, await truth.mark(), limit)
    }
    await reader.untilMarker(await truth.mark(), AbortSignal.timeout(WAIT_MS))
  } catch (error) {
    failure = error instanceof CodedError ? `${error.code}: ${error.message}` : describeError(error)
  }
  const stopped = stoppedTables(reader, schema)
  const needless = [...stopped.keys()].filter((table) => !truth.unlogged.has(/^h\d+/.exec(table)?.[0] ?? ''))
  const printed = (await printedImages(database, file, schema)).filter(({ table }) => table !== MARKER_TABLE)
  await reader.stop()
  await database.query(`DROP DATABASE ${schema}`)
  return {
    ...compareEvents(truth.images, reader.events, new Set(stopped.keys())),
    failure,
    testDefect: differenceOf(truth.images, printed),
    stopped,
    needless,
    steps,
    statements: truth.executed,
    refused: truth.refused,
  }
}

/** Begins a binlog file, so that the printer reads only this run; returns its name. */
async function newBinlogFile(database: Database): Promise<string> {
  await database.query('FLUSH BINARY LOGS')
  const logs = await database.query('SHOW BINARY LOGS')
  return String(logs.at(-1)?.['Log_name'])
}

function stoppedTables({ logger }: TaskReader, schema: string): ReadonlyMap<string, string> {
  const stopped = new Map<string, string>()
  for (const { message, fields } of logger.matching(/^The table \S+ is stopped at/)) {
    const [, name = ''] = /^The table (\S+) is stopped/.exec(message) ?? []
    const { error } = fields
    stopped.set(name.replace(`${schema}.`, ''), error instanceof Error ? error.message : message)
  }
  return stopped
}
