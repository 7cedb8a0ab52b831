/** What cannot be compared is named, and what cannot be proved is counted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, readTopic, startService, uniqueName, useKafka, useMySql } from '@tributary/testkit'
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
