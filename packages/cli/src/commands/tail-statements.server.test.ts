/** What `tributary tail --format sql` prints, applied to another database of the same server. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  casesOfTier,
  type Database,
  eventually,
  fullTest,
  temporaryFolder,
  uniqueName,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import { CliProcess } from '../testing/cli-process.ts'

const folder = temporaryFolder('tail-statements')
const servers: Database[] = []

after(() => folder[Symbol.asyncDispose]())

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
  for (const database of casesOfTier('of a row that the binlog has in part', servers)) {
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

fullTest('a statement that defines a table is printed with the settings of its session', async () => {
  for (const database of casesOfTier('a statement that defines a table is printed with', servers)) {
    const [source, target] = [uniqueName('from'), uniqueName('into')]
    await database.query(`CREATE DATABASE ${source}; CREATE DATABASE ${target}`)
    await using command = tail(database, source, '--format', 'sql', '--verbose')
    const define = async (): Promise<void> => {
      await using session = await database.connect()
      await session.query(`SET time_zone = '+05:00', sql_mode = 'ANSI_QUOTES', timestamp = 1000000000`)
      await session.query(`CREATE TABLE ${source}.t ("id" INT PRIMARY KEY, a TIMESTAMP DEFAULT '2001-02-03 04:05:06',
        d DATE DEFAULT '0000-00-00')`)
      await session.query(`INSERT INTO ${source}.t (id) VALUES (1)`)
      await session.query(`ALTER TABLE ${source}.t ADD now TIMESTAMP DEFAULT CURRENT_TIMESTAMP`)
      await session.query(`INSERT INTO ${source}.t (id, d) VALUES (2, '2026-01-01')`)
    }
    const statements = await printed(command, define, /VALUES \(2/)

    const applied = await database.cli(['--batch'], { input: statements.replaceAll(source, target) })
    assert.deepEqual([applied.code, applied.stderr], [0, ''])
    // Later rows have the literals of the output's own settings, and defaults are those of the source.
    for (const schema of [source, target]) await database.query(`INSERT INTO ${schema}.t (id) VALUES (3)`)
    const rows = `SELECT id, UNIX_TIMESTAMP(a), d, IF(id = 3, 0, UNIX_TIMESTAMP(now)) FROM`
    const [a, b] = await Promise.all(
      [source, target].map((schema) => database.query(`${rows} ${schema}.t ORDER BY id`)),
    )
    assert.deepEqual(b, a)
    assert.equal(a?.length, 3)
  }
})

fullTest('the statements end at a table that is stopped, and the position is before it', async () => {
  for (const database of casesOfTier('the statements end at a table that is stopped', servers)) {
    const name = uniqueName('tail')
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY, a INT);
      CREATE TABLE ${name}.other (id INT PRIMARY KEY)`)
    const change = async (): Promise<void> => {
      await using session = await database.connect()
      await session.query(`INSERT INTO ${name}.t VALUES (1, 2)`)
      await session.query('SET SESSION sql_log_bin = 0')
      await session.query(`ALTER TABLE ${name}.t ADD b INT`)
      await session.query(`ALTER TABLE ${name}.t DROP COLUMN b, ADD c VARCHAR(9), ADD d INT`)
      await session.query('SET SESSION sql_log_bin = 1')
      await session.query(`INSERT INTO ${name}.t VALUES (3, 4, 'five', 6)`)
      await session.query(`ALTER TABLE ${name}.t DROP COLUMN d`)
      await session.query(`INSERT INTO ${name}.other VALUES (7)`)
    }
    const [place] = await database.query(database.flavor === 'mysql' ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS')
    await change()
    const file = join(folder.path, `${name}.json`)
    const since = `${String(place?.['File'])}:${String(place?.['Position'])}`
    for (const where of [['--since', since], []]) {
      await using command = tail(database, name, '--format', 'sql', '--save', file, ...where)
      const { code, stdout, stderr } = await command.end()
      assert.equal(code, 1, stderr)
      assert.match(stderr, /is not known at .*The statements end here/s)
      assert.match(stderr, /is after what was written into the pipe/)
      assert.doesNotMatch(stderr, /PUT \/connectors/)
      assert.doesNotMatch(stdout, /`other`/)
    }
  }
})

test('columns of tables whose names differ in case only are not mixed up', async () => {
  const [database] = servers
  assert.ok(database?.flavor === 'mysql')
  const name = uniqueName('tail')
  await database.query(`CREATE DATABASE ${name};
    CREATE TABLE ${name}.T (id INT PRIMARY KEY, g INT AS (id + 1));
    CREATE TABLE ${name}.t (id INT PRIMARY KEY, g INT)`)
  await using command = tail(database, name, '--format', 'sql', '--verbose')
  const insert = async (): Promise<void> => {
    await database.query(`INSERT INTO ${name}.T (id) VALUES (1); INSERT INTO ${name}.t VALUES (2, 3)`)
  }
  const statements = await printed(command, insert, /VALUES \(2/)
  assert.match(statements, /`T` \(`id`\) VALUES \(1\);/)
  assert.match(statements, /`t` \(`id`, `g`\) VALUES \(2, 3\);/)
})
