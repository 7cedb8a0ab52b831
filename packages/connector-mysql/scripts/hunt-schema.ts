/**
 * Loads scripts of others into a server and compares what a connector makes of them with the server: the model of each
 * table with its catalogue, and the rows of the stream and of a snapshot with SELECT.
 *
 *     npm run --silent exec -- packages/connector-mysql/scripts/hunt-schema.ts --flavor mysql FILE…
 *
 * The scripts run one after the other in the server's own client, in their folder, with `--force`: statements that the
 * server refuses are counted. `--database x` creates and uses a database before. Prints the figures and the
 * differences. Exit code 1: there is a difference.
 */
import {
  brokerEnvironment,
  connectorConfig,
  SharedServers,
  startKafka,
  startMariaDb,
  startMySql,
} from '@tributary/testkit'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openCorpusRun } from '../src/testing/run-corpus.ts'
import { isCompleted, isStreaming, TaskRun } from '../src/testing/task-run.ts'
import { EventRows } from './schema/event-rows.ts'
import { quoted, selectedRows } from './schema/select-values.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    flavor: { type: 'string', default: 'mysql' },
    database: { type: 'string' },
    'sql-mode': { type: 'string' },
  },
})
const DIFFERENCES_MAX = 12
await using kafka = await startKafka()
const args = ['--local-infile=1', '--max-allowed-packet=256M', '--secure-file-priv=']
await using server = await (values.flavor === 'mariadb' ? startMariaDb : startMySql)({ rowMetadata: 'MINIMAL', args })
const { bootstrapServers } = kafka
await using shared = await SharedServers.listen({
  kafka: async () => ({ bootstrapServers }),
  [server.flavor]: async () => ({ port: server.port, version: server.version, dataFolder: server.dataFolder }),
})
Object.assign(process.env, shared.environment, brokerEnvironment('kafka'))
const differences: string[] = []
await using open = await openCorpusRun(server)
const prefix = 'hunted'
const config = {
  ...connectorConfig({ database: server, bootstrapServers: kafka.bootstrapServers, prefix, includes: '.*' }),
  'source.struct.version': 'v2',
  'skipped.operations': 'none',
}
const scene = { database: server, schema: prefix, config }

const streamed = new EventRows()
const run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
run.onRecord = (record) => streamed.take(record, prefix)
await run.until(isStreaming)
const refused: string[] = []
for (const file of positionals) {
  const before =
    values.database === undefined
      ? ''
      : `CREATE DATABASE IF NOT EXISTS ${quoted(values.database)}; USE ${quoted(values.database)};`
  const mode = values['sql-mode'] === undefined ? '' : `SET SESSION sql_mode = '${values['sql-mode']}';`
  const text = readFileSync(file, 'utf8')
  const loaded = await server.cli(['--force', '--local-infile=1'], {
    input: `${before}${mode}\n${text}`,
    cwd: dirname(resolve(file)),
  })
  for (const line of loaded.stderr.split('\n')) if (line.startsWith('ERROR')) refused.push(line)
}
await server.query(
  'CREATE DATABASE hunt_marker; CREATE TABLE hunt_marker.m (id INT PRIMARY KEY); INSERT INTO hunt_marker.m VALUES (1)',
)
await run.until(() => streamed.of('hunt_marker.m').length === 1)
await run[Symbol.asyncDispose]()
await server.query('DROP DATABASE hunt_marker')

const snapshot = new EventRows()
const second = await TaskRun.start(
  {
    ...scene,
    schema: 'hunted2',
    config: { ...config, 'topic.prefix': 'hunted2', 'schema.history.internal.kafka.topic': 'schemahistory.hunted2' },
  },
  {},
)
second.onRecord = (record) => snapshot.take(record, 'hunted2')
await second.until(isCompleted)
await second[Symbol.asyncDispose]()

await open.run.follow()
await open.run.compareAll()
differences.push(...open.run.result.differences)
let rowsCompared = 0
const tables = [...open.run.interpreter.tables].map(({ id }) => id)
for (const id of tables) {
  const rows = [...(await selectedRows(server, id))].toSorted()
  rowsCompared += rows.length
  for (const [name, events] of [
    ['stream', streamed],
    ['snapshot', snapshot],
  ] as const)
    report(`${name} of ${id.toString()}`, rows, [...events.of(id.toString())].toSorted())
}
console.log(
  JSON.stringify({ server: server.version, files: positionals.length, refused: refused.length, ...figures() }),
)
for (const line of refused.slice(0, DIFFERENCES_MAX)) console.log(`  refused: ${line.slice(0, 200)}`)
for (const line of differences.slice(0, DIFFERENCES_MAX)) console.log(`  difference: ${line.slice(0, 600)}`)
process.exitCode = differences.length === 0 ? 0 : 1

function figures(): Record<string, number> {
  const { compared, gaps } = open.run.result
  return {
    statements: open.run.interpreted,
    tables: tables.length,
    definitions: compared,
    gaps: gaps.length,
    rows: rowsCompared,
    events: streamed.events,
    differences: differences.length,
  }
}

function report(what: string, expected: readonly string[], found: readonly string[]): void {
  if (expected.join('\n') === found.join('\n')) return
  const missing = expected.filter((row) => !found.includes(row))
  const more = found.filter((row) => !expected.includes(row))
  differences.push(
    `${what}: ${expected.length} rows in the table, ${found.length} in events; missing ${missing.slice(0, 1).join()}; unexpected ${more.slice(0, 1).join()}`,
  )
}
