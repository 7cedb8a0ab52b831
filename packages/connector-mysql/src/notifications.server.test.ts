/** Notifications about snapshots, in the form of the recording of the reference. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type Schema, type SourceRecord, Struct } from '@tributary/connect-api'
import { useMySql } from '@tributary/testkit'
import { execute, FIVE_ROWS, isComplete, settings, signal, SIGNALS } from './testing/signal-scene.ts'
import { isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const RECORDING = new URL('../../../fixtures/golden/expected/23_heartbeat~notifications.jsonl.gz', import.meta.url)

interface SchemaJson {
  readonly name: string
  readonly version: number
  readonly fields: readonly { readonly field: string; readonly type: string; readonly optional: boolean }[]
}
interface Recorded {
  readonly topic?: string
  readonly key: { readonly schema: SchemaJson }
  readonly value: { readonly schema: SchemaJson; readonly payload: Readonly<Record<string, unknown>> }
}

const recorded: readonly Recorded[] = gunzipSync(readFileSync(RECORDING))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Recorded)
  .filter(({ topic }) => topic === 'PFX-notif')

const TOPIC = 'notifications'
const CHANNELS = {
  'notification.enabled.channels': 'sink, log',
  'notification.sink.topic.name': TOPIC,
  'heartbeat.interval.ms': '0',
}

function formOf(schema: Schema | null): SchemaJson {
  assert.ok(schema !== null)
  const { name, version, fields } = schema
  const parts = fields.map((each) => ({ field: each.name, type: each.schema.type, optional: each.schema.isOptional }))
  return { name: name ?? '', version: version ?? 0, fields: parts }
}

function plain({ name, version, fields }: SchemaJson): SchemaJson {
  return { name, version, fields: fields.map(({ field, type, optional }) => ({ field, type, optional })) }
}

/** Type, and the names and values of the data in their order. */
function textOf({ value }: SourceRecord): string {
  assert.ok(value instanceof Struct)
  const data = value.get('additional_data') as ReadonlyMap<string, string>
  return textOfParts(value.get('aggregate_type'), value.get('type'), [...data])
}

function textOfParts(aggregate: unknown, type: unknown, data: readonly (readonly [string, string])[]): string {
  const known = data.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}=${value}`)
  return `${String(aggregate)} ${String(type)} ${known.join(' ')}`
}

test('an initial snapshot sends what the reference sends', async () => {
  const scene = await sceneOf(await useMySql(), 'CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)')
  await using run = await TaskRun.start(scene, CHANNELS)
  const sent: SourceRecord[] = []
  run.onRecord = (record) => {
    if (record.topic === TOPIC) sent.push(record)
  }
  run.isData = ({ topic }) => topic !== TOPIC
  await run.until(isStreaming)
  const expected = recorded.map(({ value: { payload } }) => {
    const data = Object.entries(payload['additional_data'] as Readonly<Record<string, string>>)
    return textOfParts(payload['aggregate_type'], payload['type'], data)
  })
  assert.equal(expected.length, 4)
  assert.deepEqual(
    sent.map((record) => textOf(record)),
    expected.map((text) => text.replaceAll('PFX', scene.schema).replaceAll('g_hb', scene.schema)),
  )
  const [first] = sent
  assert.ok(first !== undefined && recorded[0] !== undefined)
  assert.deepEqual(formOf(first.keySchema), plain(recorded[0].key.schema))
  assert.deepEqual(formOf(first.valueSchema), plain(recorded[0].value.schema))
  assert.equal(run.logger.matching('[Notification Service] Initial Snapshot: COMPLETED').length, 1)
})

test('an incremental snapshot sends its begin, each chunk, each table and its end; a blocking one as an initial one', async () => {
  const scene = await sceneOf(
    await useMySql(),
    `${SIGNALS}; ${FIVE_ROWS}; CREATE TABLE e (id INT PRIMARY KEY); CREATE TABLE nk (x INT)`,
  )
  const { schema } = scene
  await using run = await TaskRun.start(scene, { ...settings(scene), ...CHANNELS })
  const sent: string[] = []
  run.onRecord = (record) => {
    if (record.topic === TOPIC) sent.push(textOf(record))
  }
  run.isData = ({ topic }) => topic !== TOPIC
  await run.until(isStreaming)
  sent.length = 0
  await execute(scene, ['e', 'nk', 't'])
  await run.until(() => isComplete(run) && sent.some((text) => text.startsWith('Incremental Snapshot COMPLETED')))
  const own = `connector_name=${schema}`
  const progress = (last: string): string =>
    `Incremental Snapshot IN_PROGRESS ${own} current_collection_in_progress=${schema}.t data_collections=${schema}.t last_processed_key=${last} maximum_key=5`
  const scanned = (table: string, rest: string, status: string, rows: number): string =>
    `Incremental Snapshot TABLE_SCAN_COMPLETED ${own} data_collections=${rest} scanned_collection=${schema}.${table} status=${status} total_rows_scanned=${rows}`
  const [e, nk, t] = ['e', 'nk', 't'].map((name) => `${schema}.${name}`)
  assert.deepEqual(sent, [
    `Incremental Snapshot STARTED ${own} data_collections=${e},${nk},${t}`,
    scanned('e', `${e},${nk},${t}`, 'EMPTY', 0),
    scanned('nk', `${nk},${t}`, 'NO_PRIMARY_KEY', 0),
    progress('2'),
    progress('4'),
    progress('5'),
    scanned('t', `${t}`, 'SUCCEEDED', 5),
    `Incremental Snapshot COMPLETED ${own}`,
  ])

  sent.length = 0
  const blocked = { 'data-collection': `${schema}.t`, filter: 'no_such_column = 1' }
  await execute(scene, ['t'], { 'additional-conditions': [blocked] })
  await signal(scene, 'pause-snapshot', {})
  await signal(scene, 'resume-snapshot', {})
  await signal(scene, 'stop-snapshot', {})
  await execute(scene, ['t'], { type: 'blocking' })
  await run.until(() => sent.some((text) => text.startsWith('Initial Snapshot COMPLETED')))
  assert.deepEqual(
    sent.map((text) => text.split(' ', 3).join(' ')),
    [
      ...['STARTED', 'PAUSED', 'RESUMED', 'ABORTED'].map((type) => `Incremental Snapshot ${type}`),
      ...['STARTED', 'IN_PROGRESS', 'TABLE_SCAN_COMPLETED', 'COMPLETED'].map((type) => `Initial Snapshot ${type}`),
    ],
  )
})
