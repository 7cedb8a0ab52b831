import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CodedError, StoppedError } from '@tributary/support'
import { type Database, freePort, startFaultProxy, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { RowStream } from '../resultset/row-stream.ts'
import { TextRowCodec } from '../resultset/text-row-codec.ts'
import { loginOf } from '../testing/live-binlog.ts'
import { textTarget } from '../testing/text-targets.ts'
import type { MySqlConnectionOptions, TlsMode } from './connection-options.ts'
import { MySqlConnection } from './mysql-connection.ts'

interface Account {
  readonly user: string
  readonly password: string
}

/** Creates a user that has never logged in, so that the server has no cached hash of its password. */
async function newAccount(server: Database, plugin: string): Promise<Account> {
  const account = { user: uniqueName('u').slice(0, 32), password: "p'ä\\ss" }
  await server.query(`CREATE USER '${account.user}'@'%' IDENTIFIED ${plugin} 'p''ä\\\\ss'`)
  return account
}

const SHA2 = 'WITH caching_sha2_password BY'

function login(server: Database, mode: TlsMode, more: Partial<MySqlConnectionOptions> = {}): Promise<MySqlConnection> {
  const options = loginOf(server)
  return MySqlConnection.open({ ...options, ...more, tls: { ...options.tls, ...more.tls, mode } })
}

async function cipherOf(connection: MySqlConnection): Promise<string> {
  const [row] = await connection.query("SHOW STATUS LIKE 'Ssl_cipher'")
  return row?.[1] ?? ''
}

/** Alternates between RowStream and mysql2, with a failing statement on each. */
async function useBothWays(connection: MySqlConnection): Promise<void> {
  const codec = new TextRowCodec([textTarget('integer'), textTarget('text')])
  for (let round = 1; round <= 3; round++) {
    await using stream = await RowStream.open(connection, `SELECT ${round}, 'x' UNION ALL SELECT 9, NULL`, 'reading')
    const rows: unknown[] = []
    while (!stream.isDone) {
      const row = stream.next(codec)
      if (row !== null) rows.push(row)
      else if (!stream.isDone) await stream.wait()
    }
    assert.deepEqual(rows, [
      [String(round), 'x'],
      ['9', null],
    ])
    await assert.rejects(RowStream.open(connection, 'SELECT nothing_of_that_name', 'reading'), {
      code: 'MYSQL_QUERY_FAILED',
    })
    assert.deepEqual(await connection.query(`SELECT ${round}, NULL, 'é'`), [[String(round), null, 'é']])
    await assert.rejects(connection.query('SELEC'), { code: 'MYSQL_QUERY_FAILED' })
    assert.deepEqual({ ...(await connection.queryRow(`SELECT ${round} AS n`)) }, { n: String(round) })
  }
}

test('caching_sha2_password logs in with the RSA key exchange, then with the cached hash', async () => {
  const server = await useMySql()
  const account = await newAccount(server, SHA2)
  for (const _attempt of ['by RSA', 'by the cached hash']) {
    await using connection = await login(server, 'disabled', { ...account, allowsPublicKeyRetrieval: true })
    assert.equal(await cipherOf(connection), '')
    await useBothWays(connection)
  }
})

test('a password is not encrypted with a key that the server presents on an unencrypted connection', async () => {
  const server = await useMySql()
  const account = await newAccount(server, SHA2)

  await assert.rejects(login(server, 'disabled', account), (error) => {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'MYSQL_PUBLIC_KEY')
    assert.match(error.message, /Public Key Retrieval is not allowed/)
    assert.match(error.message, /driver\.allowPublicKeyRetrieval=true/)
    return true
  })

  // The server knows the hash now, and needs no password.
  await (await login(server, 'required', account)).close()
  await using connection = await login(server, 'disabled', account)
  assert.equal(await cipherOf(connection), '')
})

test('caching_sha2_password logs in over TLS', async () => {
  const server = await useMySql()
  for (const mode of ['preferred', 'required'] as const) {
    await using connection = await login(server, mode, await newAccount(server, SHA2))
    assert.notEqual(await cipherOf(connection), '')
    await useBothWays(connection)
  }
})

test('mysql_native_password logs in to MariaDB', async () => {
  const server = await useMariaDb()
  const account = await newAccount(server, 'BY')
  const [row] = await server.query(`SELECT plugin FROM mysql.user WHERE user = '${account.user}'`)
  assert.equal(row?.['plugin'], 'mysql_native_password')

  await using connection = await login(server, 'disabled', account)
  await useBothWays(connection)
})

for (const [name, use, plugin] of [
  ['MySQL', useMySql, SHA2],
  ['MariaDB', useMariaDb, 'BY'],
] as const) {
  test(`a wrong password fails with the message of ${name}`, async () => {
    const server = await use()
    const { user } = await newAccount(server, plugin)
    for (const [password, using] of [
      ['wrong', 'YES'],
      ['', 'NO'],
    ] as const) {
      const account = { user, password, allowsPublicKeyRetrieval: true }
      await assert.rejects(login(server, 'disabled', account), (error) => {
        assert.ok(error instanceof CodedError)
        assert.equal(error.code, 'MYSQL_ACCESS_DENIED')
        assert.equal(error.isRetriable, false)
        assert.match(
          error.message,
          new RegExp(`^Unable to connect: Access denied for user '${user}'@'.+' \\(using password: ${using}\\)`),
        )
        return true
      })
    }
  })
}

test('each TLS mode accepts the certificates that it documents, and no others', async () => {
  const server = await useMySql()
  const ca = readFileSync(join(server.dataFolder, 'ca.pem'), 'utf8')
  const opens = async (mode: TlsMode, trusted: string | null): Promise<string> => {
    try {
      await using connection = await login(server, mode, trusted === null ? {} : { tls: { mode, ca: trusted } })
      return (await cipherOf(connection)) === '' ? 'plain' : 'encrypted'
    } catch (error) {
      assert.ok(error instanceof CodedError, String(error))
      assert.match(error.message, new RegExp(`database.ssl.mode=${mode}`))
      return error.code
    }
  }
  const stranger = readFileSync(join(server.dataFolder, 'public_key.pem'), 'utf8')

  assert.equal(await opens('disabled', null), 'plain')
  assert.equal(await opens('preferred', null), 'encrypted')
  assert.equal(await opens('required', null), 'encrypted')
  assert.equal(await opens('verify_ca', ca), 'encrypted')
  // The server generated its certificate: no authority of the system has signed it.
  assert.equal(await opens('verify_ca', null), 'MYSQL_TLS_FAILED')
  // The certificate names the server's version, not the host.
  assert.equal(await opens('verify_identity', ca), 'MYSQL_TLS_FAILED')
  assert.equal(await opens('verify_ca', stranger), 'MYSQL_TLS_FAILED')
})

test('a connection to a server without TLS is unencrypted in mode preferred and fails in mode required', async () => {
  const server = await useMariaDb()
  await using connection = await login(server, 'preferred')
  assert.equal(await cipherOf(connection), '')

  await assert.rejects(login(server, 'required'), { code: 'MYSQL_TLS_FAILED' })
})

test('a server that is down or silent is unreachable within the time limit', async () => {
  const port = await freePort()
  await assert.rejects(login(await useMySql(), 'disabled', { port }), { code: 'MYSQL_UNREACHABLE' })

  await using proxy = await startFaultProxy({ target: await useMySql() })
  proxy.stall()
  const { host } = proxy
  const silent = login(await useMySql(), 'disabled', { host, port: proxy.port, connectTimeoutMs: 300 })
  await assert.rejects(silent, { code: 'MYSQL_UNREACHABLE', message: /sent nothing within 0.3 s/ })
})

test('a signal stops a login in progress', async () => {
  await using proxy = await startFaultProxy({ target: await useMySql() })
  proxy.stall()
  const stop = new AbortController()
  const options = { ...loginOf(proxy), connectTimeoutMs: 60_000 }
  const login = MySqlConnection.open(options, stop.signal)
  stop.abort()

  await assert.rejects(login, StoppedError)
  await assert.rejects(MySqlConnection.open(options, stop.signal), StoppedError)
})

test('a statement in flight fails when the connection is closed, killed or cut', async () => {
  const server = await useMySql()
  await using proxy = await startFaultProxy({ target: server })
  const endings: Readonly<Record<string, (connection: MySqlConnection) => Promise<unknown>>> = {
    closed: (connection) => connection.close(),
    killed: (connection) => server.query(`KILL ${connection.threadId}`),
    cut: () => Promise.resolve(proxy.cut()),
  }
  for (const [ending, end] of Object.entries(endings)) {
    await using connection = await login(server, 'disabled', { host: proxy.host, port: proxy.port })
    const statement = assert.rejects(
      connection.query('SELECT SLEEP(60)', `sleeping until ${ending}`),
      (error) => error instanceof CodedError && error.isRetriable && error.message.includes(`sleeping until ${ending}`),
    )
    await end(connection)
    await statement
    await assert.rejects(connection.query('SELECT 1'), { code: 'MYSQL_CONNECTION_LOST' })
    await assert.rejects(connection.queryRow('SELECT 1'), { code: 'MYSQL_CONNECTION_LOST' })
    assert.equal(connection.isOpen, false)
  }
})

test('a refused initial statement closes the connection', async () => {
  const server = await useMySql()
  await assert.rejects(login(server, 'disabled', { initialStatements: ['SET no_such_variable = 1'] }), {
    code: 'MYSQL_QUERY_FAILED',
  })
})

test('a login cut at any byte, also within its TLS handshake, fails with a retriable error', async () => {
  const server = await useMySql()
  await using proxy = await startFaultProxy({ target: server })
  const codes = new Set<string>()
  for (const mode of ['preferred', 'required', 'disabled'] as const) {
    for (const direction of ['fromTarget', 'toTarget'] as const) {
      for (let bytes = 1; bytes < 2000; bytes += bytes < 100 ? 29 : 399) {
        proxy.cutAfterBytes(bytes, direction)
        try {
          await using connection = await MySqlConnection.open({ ...loginOf(proxy), tls: { mode } })
          await connection.query('SELECT 1')
        } catch (error) {
          assert.ok(error instanceof CodedError && error.isRetriable, `${mode} ${direction} ${bytes}: ${String(error)}`)
          codes.add(error.code)
        }
      }
    }
  }
  assert.ok(codes.has('MYSQL_UNREACHABLE'), [...codes].join())
})
