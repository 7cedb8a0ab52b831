import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { casesOfTier } from '../shared/cases-of-tier.ts'
import type { DatabaseServer } from './database-server.ts'
import { startMariaDb, startMySql } from './start-database.ts'

const products = [
  { flavor: 'mysql', version: /^9\.\d+\./, start: startMySql },
  { flavor: 'mariadb', version: /^10\.11\..*MariaDB/, start: startMariaDb },
] as const

for (const { flavor, version, start } of casesOfTier('start of a database', products)) {
  suite(flavor, () => {
    let server: DatabaseServer
    before(async () => {
      server = await start()
    })
    after(() => server[Symbol.asyncDispose]())

    test("the accounts exist with their privileges; the server's own client and binlog printer work", async () => {
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

    test('another server from the template has an id of its own and the requested settings; disposal ends it and removes its data', async () => {
      const more = flavor === 'mysql' ? ', @@server_uuid AS uuid, @@gtid_mode AS gtid' : ''
      const settings = `SELECT @@binlog_row_metadata AS metadata, @@binlog_format AS format, @@log_bin AS log, @@server_id AS id${more}`
      const [plain] = await server.query(settings)
      const own = flavor === 'mysql' ? 'MINIMAL' : 'NO_LOG'
      assert.deepEqual([plain?.['metadata'], plain?.['format'], plain?.['log']], [own, 'ROW', 1])

      const full = await start({ rowMetadata: 'FULL', gtid: true })
      const { pid, dataFolder } = full
      try {
        const [other] = await full.query(settings)
        assert.deepEqual([other?.['metadata'], other?.['format'], other?.['log']], ['FULL', 'ROW', 1])
        assert.notEqual(other?.['id'], plain?.['id'])
        if (flavor === 'mysql') {
          assert.notEqual(other?.['uuid'], plain?.['uuid'])
          assert.equal(other?.['gtid'], 'ON')
        }
      } finally {
        await full[Symbol.asyncDispose]()
      }
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
      assert.equal(existsSync(dataFolder), false)
    })

    if (flavor === 'mysql') testLogins(() => server)

    test('rows survive a restart and kill -9, on the same port', async () => {
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

    test('the error of a failed start shows the refused setting', async () => {
      await assert.rejects(start({ args: ['--no-such-setting=1'] }), {
        code: 'SERVER_ENDED_AT_START',
        message: /no-such-setting/,
      })
    })
  })
}

function testLogins(server: () => DatabaseServer): void {
  test('MySQL has TLS, and accepts connections without it', async () => {
    assert.match(await cipherOver(server(), 'DISABLED'), /^$/)
    assert.match(await cipherOver(server(), 'REQUIRED'), /TLS/)
  })

  test('MySQL: an account with caching_sha2_password logs in over TLS, or without TLS by RSA key exchange', async () => {
    const [account] = await server().query("SELECT plugin FROM mysql.user WHERE user = 'debezium'")
    assert.equal(account?.['plugin'], 'caching_sha2_password')
    // The server forgets the logins that would make the exchange unnecessary.
    await server().query('FLUSH PRIVILEGES')
    const login = ['--user=debezium', '--password=dbz', '--ssl-mode=DISABLED', '-e', 'SELECT 1']
    const withoutKey = await server().cli(login)
    assert.match(withoutKey.stderr, /requires secure connection/)
    const withKey = await server().cli(['--get-server-public-key', ...login])
    assert.equal(withKey.code, 0, withKey.stderr)
  })
}

async function cipherOver(server: DatabaseServer, mode: string): Promise<string> {
  const { stdout } = await server.cli([`--ssl-mode=${mode}`, '-N', '-e', "SHOW STATUS LIKE 'Ssl_cipher'"])
  return stdout.split('\t')[1]?.trim() ?? ''
}
