/** The name of the database cannot be resolved for a while: what a user sees, and that nobody has to act. */
import {
  connectorConfig,
  databaseAccounts,
  eventually,
  idOf,
  readTopic,
  startMySql,
  startService,
  temporaryFolder,
  useKafka,
  uniqueName,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { StatusCourse } from './recovery/status-course.ts'

const HOST = 'database.tributary.test'
const NAME_SERVICE = new URL('recovery/name-service.ts', import.meta.url).href

test('the name of the database cannot be resolved for a while: the user sees it, and nobody has to act', async (t) => {
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('surroundings')
  await using folder = temporaryFolder('names')
  const fails = join(folder.path, 'fails')
  await using mysql = await startMySql()
  await mysql.query('CREATE DATABASE shop; CREATE TABLE shop.t (id INT PRIMARY KEY)')
  const env = { TRIBUTARY_TEST_NAME: HOST, TRIBUTARY_TEST_NAME_FAILS: fails }
  const nodeArgs = [`--import=${NAME_SERVICE}`]
  await using service = await startService({ bootstrapServers, name, env, nodeArgs })
  const more = { 'database.hostname': HOST }
  const config = connectorConfig({ database: mysql, bootstrapServers, prefix: name, includes: 'shop', more })
  await service.register(name, config)
  const arrives = async (id: number): Promise<boolean> => {
    await mysql.query(`INSERT INTO shop.t VALUES (${id})`)
    const isThere = async (): Promise<boolean> =>
      (await readTopic(bootstrapServers, `${name}.shop.t`)).map(idOf).includes(id)
    return eventually(`row ${id} is in the topic`, isThere, { timeoutMs: 120_000, everyMs: 200 })
  }
  await arrives(1)

  await using course = new StatusCourse(service, name)
  await writeFile(fails, '')
  const { user } = databaseAccounts.debezium
  const sessions = await mysql.query(`SELECT id AS id FROM information_schema.processlist WHERE user = '${user}'`)
  // One may have ended by itself.
  for (const { id } of sessions) await mysql.query(`KILL ${String(id)}`).catch(() => undefined)
  await eventually('the user sees the problem', () => course.saw(['MYSQL_UNREACHABLE']) || assert.fail(course.text()), {
    timeoutMs: 60_000,
  })
  await rm(fails)
  await arrives(2)
  t.diagnostic(course.text())
  assert.ok(
    course.sights.every(({ state }) => state === 'RUNNING'),
    course.text(),
  )
})
