/** What cannot be compared is named, and what cannot be proved is counted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, readTopic, startService, uniqueName, useKafka, useMySql } from '@tributary/testkit'
import type { Verification } from '@tributary/rest-api'
import { capture, verifyAll } from './verify-bed.ts'

test('names masked columns, counts rows without records, and refuses transformations and unknown tables', async () => {
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('limits')
  await database.query(`
    CREATE DATABASE ${name}; USE ${name};
    CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(40), secret VARCHAR(40), hidden INT);
    INSERT INTO people VALUES (1, 'one', 's1', 1), (2, 'two', 's2', 2), (3, 'three', 's3', 3)`)
  await using service = await startService({ bootstrapServers })
  const bed = { database, bootstrapServers, service, name }
  await capture(bed, {
    'snapshot.mode': 'no_data',
    'column.mask.with.5.chars': `${name}.people.secret`,
    'column.exclude.list': `${name}.people.hidden`,
  })
  // Until then its stream has no beginning.
  await service.waitForLog(/SnapshotResult \[status=COMPLETED/)
  await database.query(
    `UPDATE ${name}.people SET name = 'TWO', secret = 's' WHERE id = 2; DELETE FROM ${name}.people WHERE id = 3`,
  )
  await eventually(
    'the changes are in the topic',
    async () => (await readTopic(bootstrapServers, `${name}.${name}.people`)).length === 3,
  )
  const run = await verifyAll(bed)
  const [table] = run.tables
  assert.equal(run.error, null)
  assert.deepEqual(
    [table?.state, table?.rows_equal, table?.unproven, table?.excluded_columns],
    [
      'UNPROVEN',
      1,
      [{ reason: 'snapshot.mode=no_data reads no rows', rows: 1 }],
      [{ column: 'secret', reason: 'events have it masked, hashed or truncated' }],
    ],
  )

  const unknown = await verifyAll(bed, { tables: [`${name}.nothing`] })
  assert.match(unknown.error ?? '', /does not capture .*nothing/)
  const path = `/connectors/${name}/verifications`
  const listed = (await service.rest('GET', path)).json as { id: string }[]
  assert.equal(listed.length, 2)
  assert.equal((await service.rest('DELETE', `${path}/${listed[0]?.id}`)).status, 204)
  assert.equal((await service.rest('GET', `${path}/${listed[0]?.id}`)).status, 404)
  const refusals = await Promise.all(
    [{ rate: 0 }, { tables: 'x' }, { other: 1 }, '[]', 'x'].map((body) => service.rest('POST', path, body)),
  )
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [400, 400, 400, 400, 400],
  )
  assert.equal((await service.rest('POST', '/connectors/none/verifications', {})).status, 404)

  await service.rest('PATCH', `/connectors/${name}/config`, {
    transforms: 'unwrap',
    'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
  })
  const transformed = await verifyAll(bed)
  assert.match(transformed.error ?? '', /transformations unwrap/)
})

test('compares a table by another unique key, and refuses a key that several rows may share', async () => {
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('keys')
  await database.query(`
    CREATE DATABASE ${name}; USE ${name};
    CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL, name VARCHAR(40), UNIQUE (email));
    CREATE TABLE visits (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL, KEY (email));
    CREATE TABLE nicks (id INT PRIMARY KEY, nick VARCHAR(40), UNIQUE (nick));
    INSERT INTO people VALUES (1, 'a@x', 'one'), (2, 'b@x', 'two'), (3, 'c@x', 'three'), (4, 'd@x', 'four')`)
  await using service = await startService({ bootstrapServers })
  const bed = { database, bootstrapServers, service, name }
  await capture(bed, {
    'message.key.columns': `${name}.people:email;${name}.visits:email;${name}.nicks:nick`,
    transforms: 'mark',
    'transforms.mark.type': 'org.apache.kafka.connect.transforms.InsertHeader',
    'transforms.mark.header': 'origin',
    'transforms.mark.value.literal': 'shop',
  })
  await service.waitForLog(/SnapshotResult \[status=COMPLETED/)
  // The key moves from one row to another, and another key appears with a row that is older.
  await database.query(`
    USE ${name}; UPDATE people SET email = 'A@X' WHERE id = 1; UPDATE people SET email = 'e@x' WHERE id = 2;
    UPDATE people SET email = 'b@x' WHERE id = 3; DELETE FROM people WHERE id = 4; INSERT INTO people VALUES (5, 'd@x', 'five')`)
  const people = (run: Verification): unknown =>
    run.tables.map(({ table, state, rows_equal, note }) => [table, state, rows_equal, note])
  const good = await verifyAll(bed)
  assert.equal(good.error, null)
  assert.deepEqual(people(good), [
    [`${name}.nicks`, 'REFUSED', 0, 'the column nick of the key of its events may be NULL'],
    [`${name}.people`, 'EQUAL', 4, null],
    [
      `${name}.visits`,
      'REFUSED',
      0,
      'the key of its events (email) contains no primary key or unique index: several rows may share a key',
    ],
  ])

  // A change without an event.
  await database.query(`SET SESSION sql_log_bin = 0; USE ${name}; UPDATE people SET name = 'lost' WHERE id = 3`)
  const { tables } = await verifyAll(bed, { tables: [`${name}.people`] })
  assert.deepEqual(
    tables[0]?.differences.map(({ key, kind }) => [kind, key]),
    [['different', { email: 'b@x' }]],
  )
})
