/** Tries cells of the table in docs/reference/start-up.md. */
import type { OffsetDocument } from '@tributary/connect-api'
import { CodedError, systemClock } from '@tributary/support'
import type { DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { purgeBinlogs } from './purge-binlogs.ts'
import { isStreaming, type Scene, sceneOf, TaskRun } from './task-run.ts'

const PAGE = fileURLToPath(new URL('../../../../docs/reference/start-up.md', import.meta.url))

const [TABLE = [], , MESSAGES = []] = tablesOf(readFileSync(PAGE, 'utf8'))

/** Rows of each table of a page, each a list of cells. */
function tablesOf(page: string): readonly (readonly (readonly string[])[])[] {
  return page
    .split(/\n\n/)
    .filter((block) => block.startsWith('| '))
    .map((block) =>
      block
        .split('\n')
        .slice(2)
        .map((line) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ),
    )
}

const SITUATIONS = ['none', 'unfinished', 'copying', 'complete', 'history lost', 'purged'] as const
type Situation = (typeof SITUATIONS)[number]

const CONFIGURED = 'snapshot.mode.configuration.based'
/** Of the modes that are more than a name. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  data: ['snapshot.data', 'start.stream'],
  schema: ['snapshot.schema', 'start.stream'],
  nothing: ['start.stream'],
  errors: ['snapshot.on.schema.error', 'snapshot.on.data.error', 'start.stream'],
}

function propertiesOf(cell: string): Readonly<Record<string, string>> {
  const [, mode = '', variant] = /^`(\w+)`(?:: (\w+))?$/.exec(cell) ?? []
  const parts = variant === undefined ? [] : (PROPERTIES[variant] ?? [])
  return { 'snapshot.mode': mode, ...Object.fromEntries(parts.map((part) => [`${CONFIGURED}.${part}`, 'true'])) }
}

/**
 * The changes that a task yields: rows 1 and 2 are older than the stored offset, row 3 is younger.
 */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  rows: ['r 1 one', 'r 2 two', 'r 3 three'],
  'rows again': ['r 1 one', 'r 2 two', 'r 3 three'],
  'new rows': ['r 1 one', 'r 2 two', 'r 3 three'],
  'rows instead': ['r 1 one', 'r 2 two', 'r 3 three'],
  structure: [],
  'structure again': [],
  stream: ['c 3 three'],
  rebuild: ['c 3 three'],
  recovery: ['c 3 three'],
  beginning: ['c 1 one', 'c 2 two', 'c 3 three'],
  nothing: [],
}

interface Cell {
  readonly scene: Scene
  readonly properties: Readonly<Record<string, string>>
  readonly stored: OffsetDocument | null
  /** Of `rows, nothing`: both. */
  readonly expected: readonly string[]
}

/** A cell takes half a second. */
const CELL_MS_MAX = 15_000

let histories = 0

/** A task that takes a snapshot writes a history; each cell but those with a complete one has its own. */
function cellOf(scene: Scene, complete: OffsetDocument, cells: readonly string[], situation: Situation): Cell {
  const keepsHistory = situation === 'complete' || situation === 'purged' || situation === 'copying'
  const history = keepsHistory
    ? {}
    : { 'schema.history.internal.kafka.topic': `${scene.schema}.history${(histories += 1)}` }
  const unfinished = { ...complete, snapshot: 'INITIAL' }
  const collections = JSON.stringify([{ incremental_snapshot_collections_id: `${scene.schema}.t` }])
  const copying = {
    ...unfinished,
    incremental_snapshot_collections: collections,
    initial_snapshot_copy: 'begun again by debezium',
  }
  const offsets: Readonly<Partial<Record<Situation, OffsetDocument | null>>> = { none: null, unfinished, copying }
  return {
    scene,
    properties: { ...propertiesOf(cells[0] ?? ''), ...history },
    stored: situation in offsets ? (offsets[situation] ?? null) : complete,
    expected: (cells[1 + SITUATIONS.indexOf(situation)] ?? '').split(', '),
  }
}

function messageOf(outcome: string): string {
  const message = MESSAGES.find(([name]) => name === outcome)?.[1]?.replaceAll('`', '')
  assert.ok(message !== undefined && message !== '', `the page has no message of '${outcome}'`)
  return message
}

async function tryCell(cell: Cell): Promise<void> {
  const { scene, properties, stored, expected } = cell
  const outcome = expected.at(-1) ?? ''
  if (outcome === 'refused') {
    await assert.rejects(TaskRun.start(scene, properties, stored), (error) =>
      String(error).includes(messageOf(outcome)),
    )
    return
  }
  await using run = await TaskRun.start(scene, properties, stored)
  if (/^[A-Z_]+$/.test(outcome)) {
    const error = await run.failure()
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, outcome)
    assert.ok(error.message.includes(messageOf(outcome)), error.message)
    assert.deepEqual(run.changes, [])
    return
  }
  if (expected.includes('copy')) {
    await tryCopy(run, expected)
    return
  }
  const yields = CHANGES[expected[0] ?? '']
  assert.ok(yields !== undefined, `'${expected[0]}' is no outcome`)
  const endsIdle = outcome === 'nothing'
  // Without a stream there are only rows.
  const changes = yields.filter((change) => !endsIdle || change.startsWith('r'))
  const untilMs = systemClock.monotonicMs() + CELL_MS_MAX
  await run.until((each) => {
    const { events, logger } = each
    assert.ok(
      systemClock.monotonicMs() < untilMs,
      `${outcome}: ${JSON.stringify([each.changes, logger.lines.map(({ message }) => message).slice(-12)])}`,
    )
    const isOpen = endsIdle ? logger.matching(messageOf(outcome)).length > 0 : isStreaming(each)
    return isOpen && events.length >= changes.length
  })
  assert.deepEqual(run.changes, changes)
  for (const each of expected) assert.ok(run.logger.matching(messageOf(each)).length > 0, `no message of '${each}'`)
}

/** Row 3 comes from the stream, from the table, or from both. */
async function tryCopy(run: TaskRun, expected: readonly string[]): Promise<void> {
  await run.until(({ logger }) => logger.matching('The incremental snapshot is complete').length > 0)
  const rows = run.changes.filter((change) => !change.endsWith(' 3 three'))
  assert.deepEqual(rows, ['r 1 one', 'r 2 two'])
  assert.ok(rows.length < run.changes.length)
  for (const each of expected) assert.ok(run.logger.matching(messageOf(each)).length > 0, `no message of '${each}'`)
}

/**
 * Half of the cells on a server, like the fields of one colour on a chessboard: an even or an odd sum of row and column.
 */
export function testStartUp(flavor: string, start: () => Promise<DatabaseServer>, half: 'even' | 'odd'): void {
  test(`${flavor}: a task starts as the table of the page has it`, async (context) => {
    await using server = await start()
    const scene = await sceneOf(
      server,
      "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO t VALUES (1, 'one'), (2, 'two')",
    )
    // Definitions that are as young as the offset are not certain: the server has their time in seconds.
    await server.query('DO SLEEP(1.1)')
    await using first = await TaskRun.start(scene, {})
    await first.until(isStreaming)
    const complete = first.stored
    assert.ok(complete !== null)
    await server.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
    assert.equal(TABLE.length, 12)
    for (const [column, situation] of SITUATIONS.entries()) {
      if (situation === 'purged') await purgeBinlogs(server)
      const cells = TABLE.filter((_, row) => (row + column) % 2 === (half === 'even' ? 0 : 1))
      for (const row of cells) {
        await context.test(`${row[0]}, ${situation}`, () => tryCell(cellOf(scene, complete, row, situation)))
      }
    }
  })
}
