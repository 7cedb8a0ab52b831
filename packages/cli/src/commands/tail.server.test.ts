/** `tributary tail` on real servers, which judge what it prints. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  casesOfTier,
  type Database,
  eventually,
  fullTest,
  runProgram,
  temporaryFolder,
  uniqueName,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import { systemClock } from '@tributary/support'
import { CliProcess, commandEnvironment, mainFile, runCli } from '../testing/cli-process.ts'

const folder = temporaryFolder('tail')
const servers: Database[] = []

before(async () => {
  servers.push(await useMySql(), await useMariaDb())
})

after(() => folder[Symbol.asyncDispose]())

function urlOf({ host, port }: Database, path: string, login = 'root:'): string {
  return `mysql://${login}@${host}:${port}/${path}`
}

function tail(...args: readonly string[]): CliProcess {
  return new CliProcess(['tail', ...args], {})
}

/** Waits until so many lines are printed, ends the command with Ctrl-C, and returns them. */
async function linesOf(command: CliProcess, count: number, notes = /^$/): Promise<readonly string[]> {
  const lines = (): readonly string[] => command.stdout.split('\n').slice(0, -1)
  await eventually(
    `${count} lines are printed; standard error: ${command.stderr}`,
    () => {
      assert.ok(command.child.exitCode === null, command.stderr)
      return lines().length >= count
    },
    { timeoutMs: 60_000 },
  )
  command.child.kill('SIGINT')
  const { code, stderr } = await command.end()
  assert.equal(code, 0)
  assert.match(stderr, notes)
  return lines()
}

/**
 * Other tests run statements on the shared server that may concern any table. A definition is then proved with the first
 * row, and the command notes that.
 */
const READ_AGAIN = /^(tributary tail: (Reading the definition of|From \S+ on, ).*\n)*$/

/** [op, before.id, after.id] of each document. */
function changes(lines: readonly string[]): readonly unknown[] {
  return lines.map((line) => {
    const { op, before: was, after: is } = JSON.parse(line) as Change
    return [op, was?.id ?? null, is?.id ?? null]
  })
}

interface Change {
  readonly op: string
  readonly before: { readonly id: number } | null
  readonly after: { readonly id: number } | null
}

/**
 * Waits for the next second of the server: the definition of a table that was created in the second in which a reader
 * starts is not certain.
 */
async function nextSecond(database: Database): Promise<void> {
  const now = async (): Promise<number> => Number((await database.query('SELECT UNIX_TIMESTAMP() AS now'))[0]?.['now'])
  const before = await now()
  await eventually('the next second', async () => (await now()) > before)
}

/** The end of the binlog. */
async function place(database: Database): Promise<string> {
  const sql = database.flavor === 'mysql' ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS'
  const [row] = await database.query(sql)
  return `${String(row?.['File'])}:${String(row?.['Position'])}`
}

/** A place where a reader can start, and knows all tables. */
async function startOf(database: Database): Promise<string> {
  await nextSecond(database)
  return place(database)
}

async function gtids(database: Database): Promise<string> {
  const variable = database.flavor === 'mysql' ? 'gtid_executed' : 'gtid_binlog_pos'
  const [row] = await database.query(`SELECT @@global.${variable} AS gtids`)
  return String(row?.['gtids'])
}

test('it starts with the next change, or after a place, after GTIDs, or with the changes since a time', async () => {
  for (const database of casesOfTier('it starts with the next change', servers)) {
    const name = uniqueName('tail')
    const begin = systemClock.now()
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
    await database.query(`INSERT INTO ${name}.t VALUES (1)`)
    const [there, executed] = [await startOf(database), await gtids(database)]
    await using now = tail(urlOf(database, `${name}.t`), '--verbose')
    await now.printsError('Connected to binlog')
    await database.query(`INSERT INTO ${name}.t VALUES (2); UPDATE ${name}.t SET id = 3 WHERE id = 2`)
    await eventually('three changes are printed', () => now.stdout.split('\n').length === 4)
    now.child.kill('SIGINT')
    assert.equal((await now.end()).code, 0)

    const later = [
      ['c', null, 2],
      ['d', 2, null],
      ['c', null, 3],
    ]
    assert.deepEqual(changes(now.stdout.trimEnd().split('\n')), later)
    for (const since of [there, executed]) {
      await using command = tail(urlOf(database, name), '--since', since)
      assert.deepEqual(changes(await linesOf(command, 3, READ_AGAIN)), later, `${database.flavor} ${since}`)
    }
    // The binlog of a shared server may be gigabytes: not far back. The command reads the clock after its own start.
    const seconds = Math.ceil((systemClock.now() - begin) / 1000) + 60
    await using since = tail(urlOf(database, name), '--since', `${seconds}s`)
    await eventually('four changes are printed', () => since.stdout.split('\n').length === 5, { timeoutMs: 60_000 })
    assert.deepEqual(changes(since.stdout.trimEnd().split('\n')), [['c', null, 1], ...later])
  }
})

test('a time in the past skips what was committed before it', async () => {
  for (const database of casesOfTier('a time in the past', servers)) {
    const name = uniqueName('tail')
    // The time of a change is that of its session.
    const at = (seconds: number, id: number): string =>
      `SET timestamp = ${seconds}; INSERT INTO ${name}.t VALUES (${id})`
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY); FLUSH BINARY LOGS`)
    const start = Math.floor(systemClock.now() / 1000) + 100_000
    await database.query(`${at(start, 1)}; ${at(start + 10, 2)}; ${at(start + 20, 3)}; SET timestamp = DEFAULT`)

    // oxlint-disable-next-line no-restricted-globals -- formats a time
    const since = new Date((start + 10) * 1000).toISOString()
    await using command = tail(urlOf(database, name), '--since', since)

    const lines = await linesOf(command, 2, database.flavor === 'mysql' ? /^$/ : /logs when a statement began/)
    assert.deepEqual(changes(lines), [
      ['c', null, 2],
      ['c', null, 3],
    ])
  }
})

fullTest('a time is that of the commit: a statement that began before it is printed', async () => {
  const [database] = servers
  assert.ok(database?.flavor === 'mysql')
  const name = uniqueName('tail')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  const [row] = await database.query('SELECT UNIX_TIMESTAMP() AS now')
  await database.query(`INSERT INTO ${name}.t SELECT 1 FROM (SELECT SLEEP(2.1)) AS s`)

  // oxlint-disable-next-line no-restricted-globals -- formats a time
  const since = new Date((Number(row?.['now']) + 2) * 1000).toISOString()
  await using command = tail(urlOf(database, name), '--since', since)

  assert.deepEqual(changes(await linesOf(command, 1)), [['c', null, 1]])
})

fullTest('a time in the future is noted, and the output starts with the next change', async () => {
  const [database] = servers
  assert.ok(database !== undefined)
  const name = uniqueName('tail')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  await using command = tail(urlOf(database, name), '--since', '2100-01-01T00:00:00Z')
  await command.printsError('that time is in the future for the server, whose clock shows')
})

test('a place in the middle of a transaction, or of an event, or after the end, is refused (exit code 2)', async () => {
  for (const database of casesOfTier('a place in the middle of a transaction', servers)) {
    const name = uniqueName('tail')
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
    const [file = '', begin = ''] = (await startOf(database)).split(':')
    await database.query(`INSERT INTO ${name}.t VALUES (1)`)
    const events = await database.query(`SHOW BINLOG EVENTS IN '${file}' FROM ${begin} LIMIT 4`)
    const map = events.find((event) => event['Event_type'] === 'Table_map')
    const middle = Number(map?.['Pos'])
    const table: readonly (readonly [string, RegExp])[] = [
      [`${file}:${middle}`, /it is in the middle of a transaction/],
      [`${file}:${Number(begin) + 3}`, /cannot be read from/],
      [`${file}:999999999`, /that file ends at/],
      ['nothere.000001:4', /the oldest file of the server is/],
      ['yesterday', /neither a duration, a time, GTIDs nor a place/],
    ]
    for (const [since, message] of table) {
      const { code, stdout, stderr } = await runCli(['tail', urlOf(database, name), '--since', since])
      assert.deepEqual([code, stdout], [2, ''], `${database.flavor} ${since}: ${stderr}`)
      assert.match(stderr, message)
    }
  }
})

/** Columns of every kind; the first is no key when the table has none. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  both: [
    'a BIGINT UNSIGNED',
    'b DECIMAL(65,30)',
    'c FLOAT',
    'd DOUBLE',
    'e BIT(11)',
    'f DATE',
    'g TIME(6)',
    'h DATETIME(3)',
    'i TIMESTAMP(6) NULL',
    'j YEAR',
    "k ENUM('','x','ü')",
    "l SET('','p','q')",
    'm VARCHAR(60) CHARACTER SET utf8mb4',
    'n TEXT CHARACTER SET latin1',
    'o VARCHAR(20) CHARACTER SET sjis',
    'p BINARY(6)',
    'q BLOB',
    'r GEOMETRY',
    's VARCHAR(20) CHARACTER SET ucs2',
    't INT AS (YEAR(f)) STORED',
  ],
  mysql: ['u JSON', 'v VECTOR(2)'],
  mariadb: ['u UUID', 'v INET6'],
}

const VALUES: readonly string[] = [
  `18446744073709551615, -12345678901234567890123456789012345.123456789012345678901234567890, 1.1, -1.7976931348623157e308,
   b'10100000001', '2026-02-29', '-838:59:58.000001', '2026-01-01 00:00:00.001', '2038-01-19 03:14:07.999999', 2155,
   'ü', 'p,q', 'it''s \\\\ a "line"\\n\\t\\r \\0 end 😀', 'naïve €', _sjis x'835C', x'0102', x'00ff27', ST_GeomFromText('POINT(1 2)'),
   _ucs2 x'D83D'`,
  `0, 0, 1e-45, -0e0, b'0', '0000-00-00', '838:59:59', '2026-02-31 10:00:00', '0000-00-00 00:00:00', 0,
   0, 1, '', '', '', '', '', ST_GeomFromText('GEOMETRYCOLLECTION(LINESTRING(0 0,1 1))'), ''`,
  `NULL, NULL, 3.4e38, 5e-324, NULL, '9999-12-31', '00:00:00', '1000-01-01', '1970-01-01 00:00:01', 1901,
   '', '', 'a', 'b', 'c', x'000000000000', NULL, NULL, 'd'`,
]
const OWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  mysql: [`'{"a": [1, 2.0, null, "\\\\"x\\\\" ü"], "b": 1e300}', x'0000803f0000c0bf'`, `'"s"', NULL`, 'NULL, NULL'],
  mariadb: [`'123e4567-e89b-12d3-a456-426655440000', '2001:db8::ff'`, `NULL, '::'`, 'NULL, NULL'],
}

test('statements repeat the changes: the other tables have the same rows, in every type, with and without a key', async () => {
  for (const database of casesOfTier('statements repeat the changes', servers)) {
    const { flavor } = database
    const [source, target] = [uniqueName('from'), uniqueName('into')]
    const columns = [...(TYPES['both'] ?? []), ...(TYPES[flavor] ?? [])].join(', ')
    const lenient = `SET time_zone = '+03:00', sql_mode = 'ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO'`
    const names = 'a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,u,v'
    const session = await database.connect()
    const run = async (sql: string): Promise<void> => void (await session.query(sql))
    for (const schema of [source, target]) {
      await run(`CREATE DATABASE ${schema}`)
      await run(`CREATE TABLE ${schema}.keyed (id INT AUTO_INCREMENT PRIMARY KEY, ${columns})`)
      await run(`CREATE TABLE ${schema}.loose (id INT, ${columns})`)
    }
    await nextSecond(database)
    await using command = tail(urlOf(database, source), '--format', 'sql', '--verbose')
    await command.printsError('Connected to binlog')
    await run(lenient)
    for (const table of ['keyed', 'loose']) {
      for (const [i, values] of VALUES.entries()) {
        await run(
          `INSERT INTO ${source}.${table} (id, ${names}) VALUES (${i}, ${values}, ${OWN_VALUES[flavor]?.[i] ?? ''})`,
        )
      }
      await run(`INSERT INTO ${source}.${table} (id, m) VALUES (7, 'A'), (8, 'a'), (9, 'A ')`)
      await run(`UPDATE ${source}.${table} SET c = c / 3, k = 'x', m = CONCAT(m, '!') WHERE id < 2`)
      await run(`UPDATE ${source}.${table} SET a = 1 WHERE BINARY m = 'a'`)
      await run(`DELETE FROM ${source}.${table} WHERE BINARY m = 'A '`)
    }
    await run(`ALTER TABLE ${source}.keyed ADD w INT`)
    await run(`UPDATE ${source}.keyed SET id = 20, w = 5 WHERE id = 2`)
    await run(`DELETE FROM ${source}.loose WHERE id = 0`)

    await eventually(
      'all statements',
      () => command.stdout.includes('DELETE FROM `' + source + '`.`loose` WHERE `id` = 0'),
      {
        timeoutMs: 60_000,
      },
    )
    command.child.kill('SIGINT')
    const { code, stdout } = await command.end()
    assert.equal(code, 0)

    const applied = await database.cli(['--batch'], { input: stdout.replaceAll(source, target) })
    assert.deepEqual([applied.code, applied.stderr], [0, ''])
    for (const table of ['keyed', 'loose']) {
      const rows = `SELECT *, HEX(c), HEX(o), HEX(q), HEX(r), HEX(s), k + 0, l + 0 FROM`
      const [a, b] = await Promise.all(
        [source, target].map((schema) => database.query(`${rows} ${schema}.${table} ORDER BY id`)),
      )
      assert.deepEqual(b, a, `${flavor} ${table}`)
      const [sums] = [await database.query(`CHECKSUM TABLE ${source}.${table}, ${target}.${table}`)]
      assert.equal(sums[1]?.['Checksum'], sums[0]?.['Checksum'])
      assert.ok((a?.length ?? 0) >= 4)
    }
    await session.end()
  }
})

test('--snapshot prints the rows first; --where selects; --save continues where the reader was', async () => {
  for (const database of casesOfTier('--snapshot', servers)) {
    const name = uniqueName('tail')
    const file = join(folder.path, `${name}.json`)
    await database.query(`
      CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY, n INT);
      INSERT INTO ${name}.t VALUES (1, 10), (2, 20), (3, 30)`)
    const args = [urlOf(database, `${name}.t`), '--snapshot', '--save', file]
    const where = ['--where', "value.op == 'd' || value.after?.n >= 20"]
    await using first = tail(...args, ...where)
    assert.deepEqual(changes(await linesOf(first, 2)), [
      ['r', null, 2],
      ['r', null, 3],
    ])
    assert.equal(existsSync(file), true)
    // Definitions of the second of a row are not certain: a fast machine would do all of it in one.
    await startOf(database)
    await database.query(`INSERT INTO ${name}.t VALUES (4, 15), (5, 25); DELETE FROM ${name}.t WHERE id = 1`)
    await startOf(database)
    await database.query(`TRUNCATE TABLE ${name}.t; INSERT INTO ${name}.t VALUES (6, 26)`)

    await using second = tail(...args, '--format', 'pretty', ...where)
    await eventually('the changes are printed', () => /\+ n +26\n/.test(second.stdout), { timeoutMs: 60_000 })
    second.child.kill('SIGTERM')
    const { code, stdout } = await second.end()

    assert.equal(code, 0)
    assert.deepEqual(
      stdout
        .split('\n')
        .filter((line) => line.startsWith('──'))
        .map((line) => line.replace(/ \d{4}-.*/, '')),
      [`── insert into ${name}.t`, `── delete from ${name}.t`, `── insert into ${name}.t`],
    )
    assert.match(stdout, /^ {2}\+ n +25$/m)
    assert.doesNotMatch(stdout, /\b15\b/)
    const other = await runCli(['tail', urlOf(database, 'mysql'), '--save', file])
    assert.equal(other.code, 2)
    assert.match(other.stderr, /belongs to .* but this command reads/)
  }
})

fullTest('names with dots, quotes and other alphabets are those of one table', async () => {
  for (const database of casesOfTier('names with dots', servers)) {
    const name = `${uniqueName('ta')}.größe-日`
    await database.query(`
      CREATE DATABASE \`${name}\`; CREATE TABLE \`${name}\`.\`t.1,'x\` (id INT PRIMARY KEY, \`a.\`\`"ü\` INT);
      CREATE TABLE \`${name}\`.\`t\` (id INT PRIMARY KEY)`)
    const there = await startOf(database)
    await database.query(`INSERT INTO \`${name}\`.\`t\` VALUES (1); INSERT INTO \`${name}\`.\`t.1,'x\` VALUES (2, 3)`)
    const path = `\`${encodeURIComponent(name)}\`.t%2E1%2C'x`
    await using command = tail(urlOf(database, path), '--since', there, '--format', 'sql')
    const statement = `INSERT INTO \`${name}\`.\`t.1,'x\` (\`id\`, \`a.\`\`"ü\`) VALUES (2, 3);`
    assert.equal((await linesOf(command, 5)).at(-1), statement)
  }
})

test('a lost connection is opened again, and no change is lost or repeated', async () => {
  for (const database of casesOfTier('a lost connection is opened again', servers)) {
    const name = uniqueName('tail')
    const user = name.slice(-24)
    await database.query(`
      CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY); CREATE USER '${user}'@'%' IDENTIFIED BY 'p';
      GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '${user}'@'%'`)
    await using command = tail(urlOf(database, name, `${user}:p`), '--verbose')
    await command.printsError('Connected to binlog')
    await database.query(`INSERT INTO ${name}.t VALUES (1)`)
    await eventually('the first change is printed', () => command.stdout !== '')
    const [dump] = await database.query(
      `SELECT id FROM information_schema.processlist WHERE user = '${user}' AND command LIKE 'Binlog Dump%'`,
    )
    await database.query(`KILL ${String(dump?.['id'] ?? dump?.['ID'])}; INSERT INTO ${name}.t VALUES (2)`)
    await eventually('the second change is printed', () => command.stdout.split('\n').length === 3, {
      timeoutMs: 30_000,
    })
    assert.deepEqual(changes(command.stdout.trimEnd().split('\n')), [
      ['c', null, 1],
      ['c', null, 2],
    ])
  }
})

test('what is wrong with a host, a login, grants or an expression is said with its remedy, without the password', async () => {
  for (const database of casesOfTier('what is wrong with a host', servers)) {
    const user = uniqueName('u').slice(-24)
    await database.query(`CREATE USER '${user}'@'%' IDENTIFIED BY 'hushhush'; GRANT SELECT ON *.* TO '${user}'@'%'`)
    const table: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
      [['mysql://root:hushhush@none.invalid/x'], 1, /none\.invalid/],
      [[urlOf(database, 'x', 'root:hushhush')], 1, /[Aa]ccess denied/],
      [[urlOf(database, 'x', `${user}:hushhush`)], 1, /GRANT .*REPLICATION/],
      [[urlOf(database, 'x'), '--where', 'value.after.id >'], 2, /--where cannot be used: /],
      [[urlOf(database, 'x'), '--set', 'topic.prefix=x'], 2, /--set topic\.prefix cannot be used/],
      [[urlOf(database, 'a.b.c', 'root:hushhush')], 2, /a dot in a name is %2E/],
      [[urlOf(database, 'x'), '--format', 'xml'], 2, /Allowed choices are pretty, json, sql/],
    ]
    for (const [args, code, message] of table) {
      const result = await runCli(['tail', ...args])
      assert.deepEqual([result.code, result.stdout], [code, ''], `${args.join(' ')}: ${result.stderr}`)
      assert.match(result.stderr, message)
      assert.doesNotMatch(result.stderr, /hushhush|internal error/)
    }
  }
})

fullTest('an expression that fails for a change ends the command with the error', async () => {
  const [database] = servers
  assert.ok(database !== undefined)
  const name = uniqueName('tail')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  const there = await startOf(database)
  await database.query(`INSERT INTO ${name}.t VALUES (1)`)
  const { code, stderr } = await runCli(['tail', urlOf(database, name), '--since', there, '--where', 'value.after.id'])
  assert.equal(code, 2)
  assert.match(stderr, /is not a Boolean/)
})

test('a closed pipe ends it without a word', async () => {
  const [database] = servers
  assert.ok(database !== undefined)
  const name = uniqueName('tail')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY, b TEXT)`)
  const there = await startOf(database)
  for (let id = 0; id < 64; id++) await database.query(`INSERT INTO ${name}.t VALUES (${id}, REPEAT('x', 65535))`)
  const command = `'${process.execPath}' '${mainFile}' tail '${urlOf(database, name)}' --since ${there} | head -c 10; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = await runProgram('bash', ['-c', command], {
    env: commandEnvironment({}),
  })
  assert.deepEqual([stdout, stderr], ['{"before":0\n', ''])
})
