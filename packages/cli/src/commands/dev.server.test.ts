/** `tributary dev` on real servers. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, freePort, fullTest, temporaryFolder, useMariaDb, useMySql } from '@tributary/testkit'
import { CliProcess, runCli } from '../testing/cli-process.ts'
import { comparePlaces } from '../dev/record-place.ts'
import { createShop, createUser, PRIVILEGES, urlOf } from '../testing/dev-shop.ts'

interface Change {
  readonly op: string
  readonly source: { readonly db: string; readonly table: string; readonly file: string; readonly pos: number }
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

function documentsOf(command: CliProcess): readonly Change[] {
  return command.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Change)
}

async function printed(command: CliProcess, count: number): Promise<readonly Change[]> {
  await eventually(
    `${count} documents are printed`,
    () => {
      assert.ok(command.child.exitCode === null && documentsOf(command).length >= count, command.stderr)
      return true
    },
    { timeoutMs: 180_000 },
  )
  return documentsOf(command)
}

/** [table, op, before.id, after.id] */
function changes(documents: readonly Change[]): readonly unknown[] {
  return documents.map(({ op, source, before, after }) => [
    source.table,
    op,
    before?.['id'] ?? null,
    after?.['id'] ?? null,
  ])
}

/** Into one table and the other, each a transaction. */
function insertsInTurn(count: number): string {
  const insert = (_: unknown, i: number): string =>
    i % 2 === 0 ? `INSERT INTO orders VALUES (${100 + i})` : `INSERT INTO customers VALUES (${100 + i}, 'Cem')`
  return Array.from({ length: count }, insert).join(';')
}

test('the changes of two servers are printed in the order of each; nothing of it remains, and no password is shown', async () => {
  const [mysql, mariadb] = [await useMySql(), await useMariaDb()]
  const [shop, other] = [await createShop(mysql), await createShop(mariadb)]
  const user = await createUser(mysql, PRIVILEGES)
  await using folder = temporaryFolder('dev')
  const urls = [urlOf(mysql, shop, `${user}:se%20cret%401`), urlOf(mariadb, `${other}.customers`)]
  await using command = new CliProcess(['dev', ...urls], { TMPDIR: folder.path })
  const ofSnapshot = await printed(command, 3)
  assert.deepEqual(changes(ofSnapshot).map(String).toSorted(), ['customers,r,,1', 'customers,r,,1', 'orders,r,,0'])
  await mysql.query(`USE ${shop}; INSERT INTO orders VALUES (1); INSERT INTO customers VALUES (2, 'Ann');
    UPDATE orders SET id = 3 WHERE id = 1; DELETE FROM customers WHERE id = 1`)
  const all = (await printed(command, 8)).slice(3)
  assert.deepEqual(changes(all), [
    ['orders', 'c', null, 1],
    ['customers', 'c', null, 2],
    ['orders', 'd', 1, null],
    ['orders', 'c', null, 3],
    ['customers', 'd', 1, null],
  ])
  await mariadb.query(`INSERT INTO ${other}.customers VALUES (7, 'Bo'); INSERT INTO ${other}.orders VALUES (9)`)
  assert.deepEqual((await printed(command, 9)).at(-1)?.after, { id: 7, name: 'Bo' })
  await mysql.query(`USE ${shop}; ${insertsInTurn(300)}`)
  const places = (await printed(command, 309)).slice(9).map(({ source }) => [source.file, source.pos] as const)
  assert.deepEqual(places, places.toSorted(comparePlaces))

  const [, broker = '', page = ''] = /--bootstrap-server (\S+)[^]*(http:\S+)\/ui\//.exec(command.stderr) ?? []
  const shown = await (await fetch(`${page}/connectors?expand=info&expand=status`)).text()
  assert.match(shown, new RegExp(`"database.user":"${user}","database.password":"\\$\\{dev:`))
  assert.match(await (await fetch(`${page}/ui/`)).text(), /<title>/)
  for (const text of [shown, command.stderr]) assert.doesNotMatch(text, /se cret|se%20/)
  const watch = ['watch', '-a', '--max-messages', '3', '--bootstrap-server', broker, `${shop}.${shop}.orders`]
  assert.match((await runCli(watch)).stdout, /"op":"r".*\n.*"op":"c".*\n.*"op":"d"/)

  command.child.kill('SIGINT')
  const { code } = await command.end()
  assert.deepEqual([code, readdirSync(folder.path)], [0, []])
})

fullTest('a database that the server does not have is named, and its changes are printed once it exists', async () => {
  const database = await useMySql()
  const shop = await createShop(database)
  await using folder = temporaryFolder('dev')
  await using command = new CliProcess(['dev', urlOf(database, `${shop}x`)], { TMPDIR: folder.path })
  await eventually(
    'it is named',
    () => command.stderr.includes(`has no table in a database ${shop}x that the user can see`),
    {
      timeoutMs: 60_000,
    },
  )
  assert.doesNotMatch(command.stderr, /include/)
  await database.query(`CREATE DATABASE ${shop}x; CREATE TABLE ${shop}x.orders (id INT PRIMARY KEY);
    INSERT INTO ${shop}x.orders VALUES (1)`)
  assert.equal((await printed(command, 1))[0]?.source.db, `${shop}x`)
})

test('with --data a second start continues: without a URL, a snapshot, or a password in its files', async () => {
  const database = await useMySql()
  const shop = await createShop(database)
  const user = await createUser(database, PRIVILEGES)
  await using folder = temporaryFolder('dev')
  const data = join(folder.path, 'data')
  const password = join(folder.path, 'password')
  writeFileSync(password, 'se cret@1\n')
  {
    const args = ['dev', urlOf(database, shop, user), '--data', data, '--password-file', password]
    await using first = new CliProcess(args, {})
    assert.equal((await printed(first, 2)).length, 2)
    const locked = await runCli(args)
    assert.equal(locked.code, 1)
    assert.match(locked.stderr, /in use by process \d+\. End that process, or choose another folder/)
    first.child.kill('SIGTERM')
    assert.equal((await first.end()).code, 0)
  }
  await database.query(`INSERT INTO ${shop}.orders VALUES (5)`)
  await using second = new CliProcess(['dev', '--data', data], { MYSQL_PWD: 'se cret@1' })
  await database.query(`INSERT INTO ${shop}.customers VALUES (6, 'Ann')`)
  assert.deepEqual(changes(await printed(second, 2)), [
    ['orders', 'c', null, 5],
    ['customers', 'c', null, 6],
  ])
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  assert.ok(files.length > 5)
  for (const { parentPath, name } of files) {
    assert.ok(!readFileSync(join(parentPath, name)).includes('se cret@1'), name)
  }

  const [, url = ''] = /(http:\S+)\/ui\//.exec(second.stderr) ?? []
  const deleted = await runCli(['connectors', 'delete', shop], { TRIBUTARY_URL: url })
  assert.equal(deleted.code, 0, deleted.stderr)
  second.child.kill('SIGTERM')
  assert.equal((await second.end()).code, 0)
  const third = await runCli(['dev', '--data', data], { MYSQL_PWD: 'se cret@1' })
  assert.deepEqual([third.code, third.stdout], [2, ''], third.stderr)
  assert.match(third.stderr, new RegExp(`connector ${shop} of an earlier start was deleted`))
  assert.match(third.stderr, /has no connector left\. Name a database: tributary dev --data \S+\/data mysql:/)
})

fullTest('a folder keeps no connector that failed its check', async () => {
  await using folder = temporaryFolder('dev')
  const data = join(folder.path, 'data')
  const restPort = await freePort()
  // A database that ends the connection when the worker runs.
  const database = createServer((socket) => {
    const end = async (): Promise<void> => {
      await eventually('the worker runs', () => answers(`http://127.0.0.1:${restPort}/`), { timeoutMs: 60_000 })
      database.close()
      socket.destroy()
    }
    void end()
  })
  const port = await freePort()
  await new Promise<void>((resolve) => database.listen(port, '127.0.0.1', resolve))
  const url = `mysql://root:@127.0.0.1:${port}/shop`
  const refused = await runCli(['dev', url, '--data', data, '--rest-port', String(restPort)])
  assert.equal(refused.code, 1, refused.stderr)
  const next = await runCli(['dev', '--data', data])
  assert.equal(next.code, 2, next.stderr)
  assert.match(next.stderr, /No database is named/)
})

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

test('what is wrong is an error with its remedy and an exit code, without the password', async () => {
  const database = await useMySql()
  const shop = await createShop(database)
  const user = await createUser(database, `SELECT ON ${shop}.*`)
  const login = `${user}:se%20cret%401`
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[], 2, /No database is named.*Write tributary dev mysql:/],
    [['mysql://db'], 2, /names no user/],
    [[urlOf(database, shop), '--set', 'topic.prefix=x'], 2, /--set topic\.prefix cannot be used: the command sets/],
    [[urlOf(database, shop, user), '--password-file', 'none'], 2, /password cannot be read from the file none: ENOENT/],
    [[urlOf(database, shop, `${user}:wrong-secret`)], 1, /Access denied for user/],
    [
      [urlOf(database, shop, user)],
      1,
      /using password: NO; to use one, put it into the URL, .* --password-file, or MYSQL_PWD/,
    ],
    [[urlOf(database, shop, login)], 1, /GRANT REPLICATION SLAVE[^]*failed the checks/],
    [[`mysql://${login}@127.0.0.1:1/${shop}`], 1, /ECONNREFUSED/],
    [[urlOf(database, shop), '--broker-port', String(database.port)], 1, /cannot listen on .*EADDRINUSE/],
    [[urlOf(database, shop), '--rest-port', String(database.port)], 1, /cannot listen on port \d+ of --rest-port/],
  ]
  await using folder = temporaryFolder('dev')
  const runs = cases.map(async ([args, expected, message]) => {
    const { code, stdout, stderr } = await runCli(['dev', ...args], { TMPDIR: folder.path })
    assert.deepEqual([code, stdout], [expected, ''], `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, /wrong-secret|se cret|se%20/)
  })
  await Promise.all(runs)
  assert.deepEqual(readdirSync(folder.path), [])
})
