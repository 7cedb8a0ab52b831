import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, useMariaDb, useMySql } from '@tributary/testkit'
import { bytesPerCharacterMax, charsetOfCollation, collationById } from './collations.ts'

const REGENERATE = 'run packages/mysql/scripts/generate-charset-tables.ts'

async function assertKnows(server: Database, collations: string): Promise<void> {
  const rows = await server.query(collations)
  assert.ok(rows.length > 200)
  for (const { id, name, charset } of rows) {
    assert.equal(collationById(Number(id))?.charset, charset, `${String(name)} (${String(id)}): ${REGENERATE}`)
    assert.equal(charsetOfCollation(String(name)), charset, `${String(name)}: ${REGENERATE}`)
  }
  const charsets = await server.query(
    'SELECT CHARACTER_SET_NAME AS charset, MAXLEN AS bytes FROM information_schema.CHARACTER_SETS',
  )
  for (const { charset, bytes } of charsets) assert.equal(bytesPerCharacterMax(String(charset)), Number(bytes))
}

test('every collation of MySQL is known by id and by name', async () => {
  await assertKnows(
    await useMySql(),
    'SELECT ID AS id, COLLATION_NAME AS name, CHARACTER_SET_NAME AS charset FROM information_schema.COLLATIONS',
  )
})

test('every collation of MariaDB is known by id and by name', async () => {
  await assertKnows(
    await useMariaDb(),
    `SELECT ID AS id, FULL_COLLATION_NAME AS name, CHARACTER_SET_NAME AS charset
      FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY WHERE ID IS NOT NULL`,
  )
})

test('collations of MariaDB for several charsets determine no charset', async () => {
  const server = await useMariaDb()
  const rows = await server.query(
    'SELECT COLLATION_NAME AS name FROM information_schema.COLLATIONS WHERE CHARACTER_SET_NAME IS NULL',
  )

  assert.ok(rows.length > 0)
  for (const { name } of rows) assert.equal(charsetOfCollation(String(name)), null)
})
