import { uniqueName, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, comparePartialUpdates, DOCUMENT_TABLE } from '../testing/partial-updates.ts'
import { ABSENT, CHANGED } from './row-value.ts'

// Changes of JSON documents that the server logs as differences, compared with the documents that it then selects.

const PAD = 'x'.repeat(200)

test('documents after changes that are logged as differences are those that the server selects (seed 22)', async () => {
  assert.ok((await comparePartialUpdates(22, 400)) > 300)
})

test('of a document that the before image lacks, a difference is reported as a change', async () => {
  const server = await useMySql()
  const database = uniqueName('partial')
  const table = `${database}.m`
  await server.query(`CREATE DATABASE ${database}; CREATE TABLE ${table} ${DOCUMENT_TABLE}`)
  await server.query(
    `INSERT INTO ${table} (id, j, k, n, l) VALUES (1, '{"a": 1, "pad": "${PAD}"}', '[1, 2, 3]', 5, NULL)`,
  )

  const { changes } = await changesOf(server, { database, table: 'm' }, async () => {
    await using session = await server.connect()
    await session.query("SET SESSION binlog_row_value_options = 'PARTIAL_JSON', SESSION binlog_row_image = MINIMAL")
    await session.query(`UPDATE ${table} SET j = JSON_SET(j, '$.a', 2), n = 6`)
    await session.query(`UPDATE ${table} SET k = '[7]'`)
    await session.query('SET SESSION binlog_row_image = NOBLOB')
    await session.query(`UPDATE ${table} SET j = JSON_REMOVE(j, '$.a')`)
    return 3
  })

  const [minimal, whole, noblob] = changes
  assert.deepEqual(minimal?.before, ['1', ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT])
  assert.deepEqual(minimal?.after, [ABSENT, CHANGED, ABSENT, ABSENT, '6', ABSENT, 'n6'])
  assert.deepEqual(whole?.after, [ABSENT, ABSENT, ABSENT, '[7]', ABSENT, ABSENT, ABSENT])
  // NOBLOB leaves out TEXT and BLOB only.
  assert.deepEqual(noblob?.before, ['1', `{"a":2,"pad":"${PAD}"}`, null, '[7]', '6', null, 'n6'])
  assert.deepEqual(noblob?.after, ['1', `{"pad":"${PAD}"}`, null, '[7]', '6', null, 'n6'])
})
