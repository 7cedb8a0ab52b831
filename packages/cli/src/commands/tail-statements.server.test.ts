/** What `tributary tail --format sql` prints, applied to another database of the same server. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Database, eventually, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { CliProcess } from '../testing/cli-process.ts'

const servers: Database[] = []

before(async () => {
  servers.push(await useMySql(), await useMariaDb())
})

function tail(database: Database, path: string, ...args: readonly string[]): CliProcess {
  return new CliProcess(['tail', `mysql://root:@${database.host}:${database.port}/${path}`, ...args], {})
}

/** Runs statements while the command prints; returns what it printed up to `last`. */
async function printed(command: CliProcess, run: () => Promise<void>, last: RegExp): Promise<string> {
  await command.printsError('Connected to binlog')
  await run()
  await eventually(`${String(last)} is printed`, () => last.test(command.stdout), { timeoutMs: 60_000 })
  command.child.kill('SIGINT')
  const { stdout } = await command.end()
  return stdout
}

test('of a row that the binlog has in part, each format prints the key, and statements find the row by it', async () => {
  for (const database of servers) {
    const [source, target] = [uniqueName('from'), uniqueName('into')]
    // MariaDB has no generated columns in primary keys.
    const second = database.flavor === 'mysql' ? 'INT AS (a * 2) STORED' : 'INT NOT NULL DEFAULT (a * 2)'
    for (const schema of [source, target]) {
      await database.query(`CREATE DATABASE ${schema};
        CREATE TABLE ${schema}.t (a INT, n INT, k ${second}, PRIMARY KEY (a, k));
        INSERT INTO ${schema}.t (a, n) VALUES (1, 5), (2, 5), (3, 5)`)
    }
    const change = async (): Promise<void> => {
      await using session = await database.connect()
      await session.query(`SET SESSION binlog_row_image = 'MINIMAL'`)
      await session.query(`DELETE FROM ${source}.t WHERE a = 2`)
    }
    await using sql = tail(database, source, '--format', 'sql', '--verbose')
    await using json = tail(database, source, '--format', 'json', '--verbose')
    await using pretty = tail(database, source, '--format', 'pretty', '--verbose')
    await Promise.all([json, pretty].map((command) => command.printsError('Connected to binlog')))
    const statements = await printed(sql, change, /DELETE/)

    const applied = await database.cli(['--batch'], { input: statements.replaceAll(source, target) })
    assert.deepEqual([applied.code, applied.stderr], [0, ''])
    const left = await database.query(`SELECT a, n FROM ${target}.t ORDER BY a`)
    assert.deepEqual(
      left.map((row) => row['a']),
      [1, 3],
    )
    await eventually('the others have printed it', () => /- k /.test(pretty.stdout) && json.stdout.endsWith('\n'))
    assert.match(pretty.stdout, /- a +2\n.*- k +4\n/)
    const { op, before: row, key } = JSON.parse(json.stdout) as Readonly<Record<string, unknown>>
    assert.deepEqual([op, row, key], ['d', null, { a: 2, k: 4 }])
  }
})
