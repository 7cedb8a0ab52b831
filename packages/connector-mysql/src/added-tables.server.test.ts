/** Tables that are added to the captured ones, by a change of the lists or by a rename, on both servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { casesOfTier, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { isStreaming, type Scene, sceneOf, TaskRun } from './testing/task-run.ts'

const TABLES = `CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1);
  CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (1), (2)`

type Properties = Readonly<Record<string, string>>

function listOf({ schema }: Scene, ...tables: readonly string[]): Properties {
  return { 'table.include.list': tables.map((table) => `${schema}.${table}`).join() }
}

const isCopied = ({ logger }: TaskRun): boolean => logger.matching('The incremental snapshot is complete').length > 0

/** Operation, marker and key of each event of the table. */
function eventsOf(run: TaskRun, table: string): readonly string[] {
  return run.events
    .filter((event) => event.table === table)
    .map(({ op, marker, before, after }) => [op, marker, ...(after ?? before ?? [])].join(' '))
}

/** Runs a task until it streams, and returns it with the offset that a later one continues from. */
async function streamed(
  scene: Scene,
  properties: Properties,
  { from = null, during = 'DO 0' }: { readonly from?: TaskRun['stored']; readonly during?: string } = {},
): Promise<NonNullable<TaskRun['stored']>> {
  await using run = await TaskRun.start(scene, properties, from)
  await run.until(isStreaming)
  await scene.database.query(
    `${during}; REPLACE INTO ${scene.schema}.a VALUES (9); DELETE FROM ${scene.schema}.a WHERE id = 9`,
  )
  await run.until((each) => eventsOf(each, 'a').includes('d null 9'))
  assert.ok(run.stored !== null)
  return run.stored
}

for (const [flavor, open] of casesOfTier('added tables', [
  ['MySQL', useMySql] as const,
  ['MariaDB', useMariaDb] as const,
])) {
  test(`${flavor}: a table that a change of the lists adds is copied once, with the changes since the offset`, async () => {
    const scene = await sceneOf(await open(), TABLES)
    const { database, schema } = scene
    const stored = await streamed(scene, listOf(scene, 'a'))
    await database.query(`INSERT INTO ${schema}.b VALUES (3); DELETE FROM ${schema}.b WHERE id = 1`)

    await using run = await TaskRun.start(scene, listOf(scene, 'a', 'b'), stored)
    await run.until(isCopied)
    await database.query(`INSERT INTO ${schema}.b VALUES (4)`)
    await run.until((each) => eventsOf(each, 'b').includes('c null 4'))
    const events = eventsOf(run, 'b')
    assert.deepEqual(events.filter((event) => event !== 'r incremental 3').toSorted(), [
      'c null 3',
      'c null 4',
      'd null 1',
      'r incremental 2',
    ])
    assert.deepEqual(eventsOf(run, 'a'), [])

    await database.query(`INSERT INTO ${schema}.b VALUES (5)`)
    await using later = await TaskRun.start(scene, listOf(scene, 'a', 'b'), run.stored)
    await later.until((each) => eventsOf(each, 'b').length > 0)
    assert.deepEqual(eventsOf(later, 'b'), ['c null 5'])
    assert.equal(later.logger.matching('Added to the captured tables').length, 0)
  })

  test(`${flavor}: a task that is killed while it copies an added table copies it after the restart`, async () => {
    const scene = await sceneOf(await open(), TABLES)
    const { database, schema } = scene
    const stored = await streamed(scene, listOf(scene, 'a'))
    await database.query(`INSERT INTO ${schema}.a VALUES (10)`)
    const lists = listOf(scene, 'a', 'b')
    await using run = await TaskRun.start(scene, lists, stored)
    // Nothing of the table was sent: the offset has what is left to do.
    await run.until((each) => each.stored?.['incremental_snapshot_collections'] !== undefined)
    await using again = await TaskRun.start(scene, lists, run.stored)
    await again.until(isCopied)
    assert.deepEqual(eventsOf(again, 'b'), ['r incremental 1', 'r incremental 2'])
  })

  test(`${flavor}: a table of a database that is added is copied, though the history has no definition of it`, async () => {
    const server = await open()
    const other = uniqueName('other')
    await server.query(`CREATE DATABASE ${other}; CREATE TABLE ${other}.idle (id INT PRIMARY KEY, name VARCHAR(9));
      INSERT INTO ${other}.idle VALUES (1, 'one'); DO SLEEP(1.1)`)
    const scene = await sceneOf(server, TABLES)
    const stored = await streamed(scene, {})
    await using run = await TaskRun.start(scene, { 'database.include.list': `${scene.schema},${other}` }, stored)
    await run.until(isCopied)
    assert.deepEqual(eventsOf(run, 'idle'), ['r incremental 1 one'])
    assert.deepEqual([...eventsOf(run, 'a'), ...eventsOf(run, 'b')], [])
    await server.query(`UPDATE ${other}.idle SET name = 'two'`)
    await run.until((each) => eventsOf(each, 'idle').length > 1)
    assert.equal(eventsOf(run, 'idle').at(-1), 'u null 1 two')
  })

  test(`${flavor}: a table that is created under a pattern yields the rows of the binlog, and those before its copy again`, async () => {
    const scene = await sceneOf(await open(), TABLES)
    const { database, schema } = scene
    const stored = await streamed(scene, listOf(scene, 'a'))
    await database.query(`CREATE TABLE ${schema}.c1 (id INT PRIMARY KEY); INSERT INTO ${schema}.c1 VALUES (1)`)
    await database.query(`CREATE TABLE ${schema}.c2 (id INT PRIMARY KEY) SELECT id FROM ${schema}.b`)
    await using run = await TaskRun.start(scene, listOf(scene, 'a', 'c.*'), stored)
    await run.until(isStreaming)
    await database.query(`CREATE TABLE ${schema}.c3 (id INT PRIMARY KEY); INSERT INTO ${schema}.c3 VALUES (1)`)
    await run.until((each) => eventsOf(each, 'c3').length > 0 && isCopied(each))
    assert.deepEqual(
      ['c1', 'c2', 'c3'].map((table) => eventsOf(run, table)),
      [['c null 1', 'r incremental 1'], ['c null 1', 'c null 2', 'r incremental 1', 'r incremental 2'], ['c null 1']],
    )
    // From then on, a table that is created is not added by the lists.
    await using later = await TaskRun.start(scene, listOf(scene, 'a', 'c.*'), run.stored)
    await later.until(isStreaming)
    assert.equal(later.logger.matching('Added to the captured tables').length, 0)
  })

  test(`${flavor}: with renamed, a table that is renamed to a captured name is copied; with auto it is not`, async () => {
    for (const mode of ['renamed', 'auto']) {
      const scene = await sceneOf(await open(), TABLES)
      const { database, schema } = scene
      const properties = { ...listOf(scene, 'a', 'c'), 'snapshot.new.tables': mode }
      await using run = await TaskRun.start(scene, properties, await streamed(scene, properties))
      await run.until(isStreaming)
      await database.query(`RENAME TABLE ${schema}.b TO ${schema}.c`)
      if (mode === 'renamed') await run.until(isCopied)
      await database.query(`INSERT INTO ${schema}.c VALUES (3)`)
      await run.until((each) => eventsOf(each, 'c').includes('c null 3'))
      const copied = mode === 'renamed' ? ['r incremental 1', 'r incremental 2'] : []
      assert.deepEqual(eventsOf(run, 'c'), [...copied, 'c null 3'])
      const rows = mode === 'renamed' ? 'its existing rows are copied' : 'its existing rows are not'
      assert.equal(run.logger.matching(rows).length, 1)
    }
  })
}

test('each offset after the rename has what is to be copied', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const { database, schema } = scene
  const properties = { ...listOf(scene, 'a', 'c'), 'snapshot.new.tables': 'renamed' }
  const stored = await streamed(scene, properties)
  await database.query(`RENAME TABLE ${schema}.b TO ${schema}.c; INSERT INTO ${schema}.a VALUES (10)`)
  await using run = await TaskRun.start(scene, properties, stored)
  const missing: string[] = []
  run.onRecord = ({ topic, sourceOffset }) => {
    const offset = sourceOffset.toDocument()
    if (topic !== `${schema}.${schema}.c` && offset['incremental_snapshot_collections'] === undefined)
      missing.push(topic)
  }
  await run.until((each) => eventsOf(each, 'a').length > 0 && isCopied(each))
  assert.deepEqual(missing, [])
})

test('a table is not copied with off, with a mode that reads no rows, or with a statement of its own', async () => {
  for (const more of [
    { 'snapshot.new.tables': 'off' },
    { 'snapshot.mode': 'no_data' },
    { 'snapshot.include.collection.list': 'nothing' },
    'override',
  ]) {
    const scene = await sceneOf(await useMySql(), TABLES)
    const { schema } = scene
    const override = { [`snapshot.select.statement.overrides.${schema}.b`]: `SELECT * FROM ${schema}.b WHERE id > 1` }
    const properties =
      typeof more === 'string' ? { 'snapshot.select.statement.overrides': `${schema}.b`, ...override } : more
    const stored = await streamed(scene, { ...listOf(scene, 'a'), ...properties })
    await scene.database.query(`INSERT INTO ${schema}.b VALUES (3)`)
    await using run = await TaskRun.start(scene, { ...listOf(scene, 'a', 'b'), ...properties }, stored)
    await run.until((each) => eventsOf(each, 'b').length > 0)
    assert.equal(run.stored?.['incremental_snapshot_collections'], undefined)
    assert.deepEqual(eventsOf(run, 'b'), ['c null 3'])
    assert.equal(
      run.logger.matching('snapshot.select.statement.overrides has a statement for them').length,
      more === 'override' ? 1 : 0,
    )
  }
})

test('a table that a change of the lists removes yields nothing more, though it is being copied', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const { database, schema } = scene
  const stored = await streamed(scene, listOf(scene, 'a'))
  await using adding = await TaskRun.start(scene, listOf(scene, 'a', 'b'), stored)
  await adding.until((each) => each.stored?.['incremental_snapshot_collections'] !== undefined)
  await database.query(`INSERT INTO ${schema}.b VALUES (3); INSERT INTO ${schema}.a VALUES (10)`)
  await using run = await TaskRun.start(scene, listOf(scene, 'a'), adding.stored)
  await run.until((each) => eventsOf(each, 'a').length > 0 && isCopied(each))
  assert.deepEqual(eventsOf(run, 'b'), [])
})

test('an offset without lists copies nothing, and the log has the reason', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const { captured_lists: lists, ...stored } = await streamed(scene, listOf(scene, 'a'))
  assert.match(String(lists), /"table.include.list":".*\.a"/)
  await scene.database.query(`INSERT INTO ${scene.schema}.b VALUES (3)`)
  await using run = await TaskRun.start(scene, listOf(scene, 'a', 'b'), stored)
  await run.until((each) => eventsOf(each, 'b').length > 0)
  assert.deepEqual(eventsOf(run, 'b'), ['c null 3'])
  assert.equal(run.logger.matching('does not have the include and exclude lists').length, 1)
})

/** The server reports whole seconds: a table counts as older than the offset from one second on. */
const OTHER = 'CREATE TABLE OTHER.old (id INT PRIMARY KEY); INSERT INTO OTHER.old VALUES (1), (2); DO SLEEP(1.1)'
const OLD_COPIED = ['r incremental 1', 'r incremental 2']

for (const [title, steps] of [
  [
    'whose database was in the lists before, while another table of it was captured',
    (own: string, other: string) => [
      { 'database.include.list': own, 'table.include.list': `${own}.a` },
      { 'database.include.list': `${own},${other}`, 'table.include.list': `${own}.a,${other}.later` },
      { 'database.include.list': `${own},${other}`, 'table.include.list': `${own}.a,${other}.later,${other}.old` },
    ],
  ],
  [
    'while the history had only captured tables',
    (own: string, other: string) => {
      const databases = { 'database.include.list': `${own},${other}` }
      return [
        {
          ...databases,
          'table.include.list': `${own}.a`,
          'schema.history.internal.store.only.captured.tables.ddl': 'true',
        },
        { ...databases, 'table.include.list': `${own}.a,${other}.old` },
      ]
    },
  ],
] as const) {
  test(`a table is copied that the history does not have: ${title}`, async () => {
    const server = await useMySql()
    const other = uniqueName('other')
    await server.query(`CREATE DATABASE ${other}; ${OTHER.replaceAll('OTHER', other)}`)
    const scene = await sceneOf(server, TABLES)
    const [first, ...later] = steps(scene.schema, other) as readonly Properties[]
    let stored = await streamed(scene, first ?? {})
    for (const properties of later.slice(0, -1)) stored = await streamed(scene, properties, { from: stored })
    await using run = await TaskRun.start(scene, later.at(-1) ?? {}, stored)
    await run.until(isCopied)
    assert.deepEqual(eventsOf(run, 'old'), OLD_COPIED)
  })
}

test('a table is copied that the history does not have: it was renamed from another database', async () => {
  const server = await useMySql()
  const other = uniqueName('other')
  await server.query(`CREATE DATABASE ${other}; ${OTHER.replaceAll('OTHER', other)}`)
  const scene = await sceneOf(server, TABLES)
  const during = `RENAME TABLE ${other}.old TO ${scene.schema}.old; DO SLEEP(1.1)`
  const stored = await streamed(scene, listOf(scene, 'a'), { during })
  await using run = await TaskRun.start(scene, listOf(scene, 'a', 'old'), stored)
  await run.until(isCopied)
  assert.deepEqual(eventsOf(run, 'old'), OLD_COPIED)
})

test('names that the user may not see are copied by the start after the GRANT, and others only once', async () => {
  const server = await useMySql()
  const [other, user] = [uniqueName('other'), uniqueName('user')]
  await server.query(`CREATE DATABASE ${other}; ${OTHER.replaceAll('OTHER', other)}`)
  const scene = await sceneOf(server, TABLES)
  const { schema } = scene
  await server.query(`CREATE USER ${user} IDENTIFIED BY 'secret'; GRANT SELECT, LOCK TABLES ON ${schema}.* TO ${user};
    GRANT RELOAD, REPLICATION SLAVE, REPLICATION CLIENT, SHOW DATABASES ON *.* TO ${user}`)
  const account = { 'database.user': user, 'database.password': 'secret' }
  const stored = await streamed(scene, { ...account, ...listOf(scene, 'a') })
  const lists = {
    ...account,
    'database.include.list': `${schema},${other}`,
    'table.include.list': `${schema}.[ab],${schema}.hidden,${other}.old`,
  }
  let after = stored
  {
    await using run = await TaskRun.start(scene, lists, stored)
    await run.until(isCopied)
    assert.deepEqual(eventsOf(run, 'b'), ['r incremental 1', 'r incremental 2'])
    assert.equal(run.logger.matching(`so their rows are not copied: ${other}, ${schema}.hidden`).length, 1)
    assert.ok(run.stored !== null)
    after = run.stored
  }
  after = await streamed(scene, lists, { from: after })
  await server.query(`GRANT SELECT ON ${other}.* TO ${user}`)
  await using run = await TaskRun.start(scene, lists, after)
  await run.until(isCopied)
  assert.deepEqual([...eventsOf(run, 'b'), ...eventsOf(run, 'old')], OLD_COPIED)
})

test('a table that is renamed while it is copied is copied under its new name', async () => {
  const rows = Array.from({ length: 3_000 }, (_, i) => `(${i + 10})`).join()
  const scene = await sceneOf(await useMySql(), `${TABLES}; INSERT INTO b VALUES ${rows}`)
  const { database, schema } = scene
  const stored = await streamed(scene, listOf(scene, 'a'))
  const properties = { ...listOf(scene, 'a', 'b', 'c'), 'incremental.snapshot.chunk.size': '200' }
  await using run = await TaskRun.start(scene, properties, stored)
  await run.until((each) => eventsOf(each, 'b').length > 0)
  await database.query(`RENAME TABLE ${schema}.b TO ${schema}.c; INSERT INTO ${schema}.c VALUES (9000)`)
  await run.until((each) => isCopied(each) && eventsOf(each, 'c').includes('c null 9000'))
  assert.deepEqual(
    new Set(eventsOf(run, 'c').map((event) => Number(event.split(' ').at(-1)))),
    new Set([1, 2, 9_000, ...Array.from({ length: 3_000 }, (_, i) => i + 10)]),
  )
  assert.equal(run.logger.matching('leaves out the table').length, 0)
})
