import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { DatabaseServer } from './database-server.ts'
import { startMariaDb, startMySql } from './start-database.ts'

const products = [
  { flavor: 'mysql', version: /^9\.\d+\./, start: startMySql },
  { flavor: 'mariadb', version: /^10\.11\..*MariaDB/, start: startMariaDb },
] as const

for (const { flavor, version, start } of products) {
  suite(flavor, () => {
    test('rows survive a restart and kill -9, on the same port', async () => {
      await using server = await start()
      assert.match(server.version, version)
      assert.equal(server.flavor, flavor)
      await server.query('CREATE DATABASE a; CREATE TABLE a.t (id BIGINT UNSIGNED, at DATETIME(6))')
      await server.query("INSERT INTO a.t VALUES (18446744073709551615, '2024-02-29 01:02:03.000004')")
      const row = { id: '18446744073709551615', at: '2024-02-29 01:02:03.000004' }
      assert.deepEqual(await server.query('SELECT * FROM a.t'), [row])

      const { pid, port } = server
      await server.stop()
      assert.equal(server.isRunning, false)
      await server.start()
      assert.equal(server.port, port)
      assert.notEqual(server.pid, pid)
      assert.deepEqual(await server.query('SELECT * FROM a.t'), [row])

      await server.kill('SIGKILL')
      assert.throws(() => server.pid, { code: 'SERVER_IS_DOWN' })
      await server.start()
      assert.deepEqual(await server.query('SELECT * FROM a.t'), [row])
    })

    test('the server has the requested row metadata, and its own default otherwise', async () => {
      const metadata = 'SELECT @@binlog_row_metadata AS metadata, @@binlog_format AS format, @@log_bin AS log'
      const own = flavor === 'mysql' ? 'MINIMAL' : 'NO_LOG'
      await using plain = await start()
      assert.deepEqual(await plain.query(metadata), [{ metadata: own, format: 'ROW', log: 1 }])
      await using full = await start({ rowMetadata: 'FULL' })
      assert.deepEqual(await full.query(metadata), [{ metadata: 'FULL', format: 'ROW', log: 1 }])
    })

    test("the accounts exist with their privileges; the server's own client and binlog printer work", async () => {
      await using server = await start()
      await server.query('CREATE DATABASE b', 'mysqluser')
      const status = flavor === 'mysql' ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS'
      assert.equal((await server.query(status, 'debezium'))[0]?.['File'], 'binlog.000001')
      await assert.rejects(server.query('CREATE DATABASE c', 'debezium'), { code: 'ER_DBACCESS_DENIED_ERROR' })

      const shown = await server.cli(['-N', '-e', "SELECT 'ü', CURRENT_USER()"])
      assert.match(shown.stdout, /^ü\troot@/)
      const piped = await server.cli(['-N'], { input: 'SELECT 1;\nSELECT 2;\n' })
      assert.equal(piped.stdout, '1\n2\n')
      for (const source of [[join(server.dataFolder, 'binlog.000001')], ['-R', 'binlog.000001']]) {
        const printed = await server.mysqlbinlog(source)
        assert.equal(printed.code, 0, printed.stderr)
        assert.match(printed.stdout, /CREATE DATABASE b/)
      }
    })

    test('disposal ends the process and removes the data', async () => {
      const server = await start()
      const { pid, dataFolder } = server
      await server[Symbol.asyncDispose]()
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
      assert.equal(existsSync(dataFolder), false)
    })

    test('the error of a failed start shows the refused setting', async () => {
      await assert.rejects(start({ args: ['--no-such-setting=1'] }), {
        code: 'SERVER_ENDED_AT_START',
        message: /no-such-setting/,
      })
    })
  })
}

test('two MySQL servers from one template have different ids, and TLS', async () => {
  await using first = await startMySql({ gtid: true })
  await using second = await startMySql({ gtid: true })
  const ids = 'SELECT @@server_uuid AS uuid, @@server_id AS id, @@gtid_mode AS gtid'
  const [[one], [two]] = await Promise.all([first.query(ids), second.query(ids)])
  assert.notEqual(one?.['uuid'], two?.['uuid'])
  assert.notEqual(one?.['id'], two?.['id'])
  assert.equal(one?.['gtid'], 'ON')

  assert.match(await cipherOver(first, 'DISABLED'), /^$/)
  assert.match(await cipherOver(first, 'REQUIRED'), /TLS/)
})

test('MySQL: an account with caching_sha2_password logs in over TLS, or without TLS by RSA key exchange', async () => {
  await using server = await startMySql()
  const [account] = await server.query("SELECT plugin FROM mysql.user WHERE user = 'debezium'")
  assert.equal(account?.['plugin'], 'caching_sha2_password')
  const login = ['--user=debezium', '--password=dbz', '--ssl-mode=DISABLED', '-e', 'SELECT 1']
  const withoutKey = await server.cli(login)
  assert.match(withoutKey.stderr, /requires secure connection/)
  const withKey = await server.cli(['--get-server-public-key', ...login])
  assert.equal(withKey.code, 0, withKey.stderr)
})

async function cipherOver(server: DatabaseServer, mode: string): Promise<string> {
  const { stdout } = await server.cli([`--ssl-mode=${mode}`, '-N', '-e', "SHOW STATUS LIKE 'Ssl_cipher'"])
  return stdout.split('\t')[1]?.trim() ?? ''
}
