import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, present } from '@tributary/support'
import {
  casesOfTier,
  type DatabaseServer,
  eventually,
  fullTest,
  mariadbPluginFolder,
  startMariaDb,
  startMySql,
  temporaryFolder,
} from '@tributary/testkit'
import type { DumpStart } from '../commands/binlog-dump.ts'
import { MySqlConnection } from '../connection/mysql-connection.ts'
import { MariaDbGtidSet } from '../gtid/mariadb-gtid-set.ts'
import { MySqlGtidSet } from '../gtid/mysql-gtid-set.ts'
import { RowStream } from '../resultset/row-stream.ts'
import { TextRowCodec } from '../resultset/text-row-codec.ts'
import { endOfBinlog, insertedRows, loginOf, openBinlog, readEvents } from '../testing/live-binlog.ts'
import { textTarget } from '../testing/text-targets.ts'
import type { BinlogStream } from './binlog-stream.ts'

// Own servers: the tests restart them, change global variables and rotate their binlogs.

const TARGETS = [textTarget('integer'), textTarget('text')]
const MIB = 1 << 20

/** The next rows of `t`, as `id=text`. */
async function rowsOf(stream: BinlogStream, count: number): Promise<string[]> {
  const rows = await insertedRows(stream, 't', TARGETS, count)
  return rows.map(([id, text]) => `${String(id)}=${String(text)}`)
}

/** Starts a proxy that flips one bit in the first occurrence of a text that the server sends. */
async function flippingProxy(
  target: DatabaseServer,
  marker: string,
): Promise<AsyncDisposable & AddressInfo & { host: string }> {
  let isFlipped = false
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host)
    client.on('error', () => upstream.destroy()).pipe(upstream)
    upstream.on('error', () => client.destroy())
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    upstream.on('data', (chunk: Buffer) => {
      const at = isFlipped ? -1 : chunk.indexOf(marker)
      if (at >= 0) {
        isFlipped = true
        chunk[at] = (chunk[at] as number) ^ 0x20
      }
      client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...(server.address() as AddressInfo),
    host: '127.0.0.1',
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

for (const [name, start] of casesOfTier('live stream', [
  ['MySQL', () => startMySql({ gtid: true, args: ['--max-allowed-packet=128M'] })],
  ['MariaDB', () => startMariaDb({ args: ['--max-allowed-packet=128M'] })],
] as const)) {
  suite(`the binlog of ${name}`, () => {
    let started: DatabaseServer | undefined
    const server = (): DatabaseServer => present(started, 'the server')
    before(async () => {
      started = await start()
      await started.query('CREATE DATABASE live; CREATE TABLE live.t (id INT PRIMARY KEY, v LONGTEXT) CHARSET utf8mb4')
    })
    after(() => started?.[Symbol.asyncDispose]())

    const insert = (id: number, text: string): Promise<unknown> =>
      server().query(`INSERT INTO live.t VALUES (${id}, '${text}')`)

    test('a row of 40 MB arrives complete in the stream and in a result set, even after max_allowed_packet was reduced', async () => {
      await using stream = await openBinlog(server(), await endOfBinlog(server()))
      await server().query(
        `INSERT INTO live.t VALUES (1, REPEAT('0123456789abcdef', ${(40 * MIB) / 16})), (2, 'behind it')`,
      )
      await server().query('SET GLOBAL max_allowed_packet = 1048576')

      const [large, behind] = await insertedRows(stream, 't', TARGETS, 2)

      const expected = '0123456789abcdef'.repeat((40 * MIB) / 16)
      assert.ok(large?.[1] === expected)
      assert.deepEqual(behind, ['2', 'behind it'])
      await using connection = await MySqlConnection.open(loginOf(server()))
      await using rows = await RowStream.open(connection, 'SELECT id, v FROM live.t ORDER BY id', 'reading')
      const codec = new TextRowCodec(TARGETS)
      const read: (string | null)[][] = []
      while (!rows.isDone) {
        const row = rows.next(codec)
        if (row !== null) read.push(row)
        else if (!rows.isDone) await rows.wait()
      }
      assert.ok(read[0]?.[1] === expected)
      assert.deepEqual(read[1], ['2', 'behind it'])
      assert.deepEqual(await connection.query('SELECT COUNT(*) FROM live.t'), [['2']])
    })

    test('the checksum detects a byte that changed on the way, and reading again succeeds', async () => {
      const from = await endOfBinlog(server())
      await insert(10, 'a text to be damaged')
      await using proxy = await flippingProxy(server(), 'text to be damaged')
      await using damaged = await openBinlog(server(), from, { through: proxy })

      await assert.rejects(rowsOf(damaged, 1), (error) => {
        assert.ok(error instanceof CodedError)
        assert.equal(error.code, 'BINLOG_CHECKSUM')
        assert.equal(error.isRetriable, true)
        assert.ok(error.message.includes(`${from.file}:`), error.message)
        return true
      })

      await using again = await openBinlog(server(), from, { through: proxy })
      assert.deepEqual(await rowsOf(again, 1), ['10=a text to be damaged'])
    })

    test('checksums may be switched off and on while the binlog is read', async () => {
      await using stream = await openBinlog(server(), await endOfBinlog(server()))
      await insert(20, 'with')
      await server().query('SET GLOBAL binlog_checksum = NONE')
      await insert(21, 'without')
      await using later = await openBinlog(server(), await endOfBinlog(server()))
      await server().query('SET GLOBAL binlog_checksum = CRC32')
      await insert(22, 'with again')

      assert.deepEqual(await rowsOf(stream, 3), ['20=with', '21=without', '22=with again'])
      assert.deepEqual(await rowsOf(later, 1), ['22=with again'])
    })

    test('a rotate names the next file, and positions continue in it', async () => {
      const from = await endOfBinlog(server())
      await using stream = await openBinlog(server(), from)
      await server().query('FLUSH BINARY LOGS')
      await insert(30, 'next file')
      const end = await endOfBinlog(server())
      const rotates: string[] = []

      await readEvents(stream, (event, { file, nextPosition }) => {
        if (event.tag === 'rotate') {
          rotates.push(`${event.file}:${event.position}`)
          assert.equal(`${file}:${nextPosition}`, rotates.at(-1))
        }
        return event.tag === 'xid'
      })

      // An artificial rotate with the start of the dump, the one in the file, and an artificial one for the next file.
      assert.notEqual(end.file, from.file)
      assert.equal(rotates[0], `${from.file}:${from.position}`)
      assert.ok(rotates.length >= 2 && rotates.slice(1).every((rotate) => rotate === `${end.file}:4`), rotates.join())
      assert.equal(stream.reader.file, end.file)
      assert.equal(stream.reader.nextPosition, end.position)
    })

    test('heartbeats report the end of the binlog while the server is idle', async () => {
      const from = await endOfBinlog(server())
      await using stream = await openBinlog(server(), from, { dump: { heartbeatMs: 50 } })
      const places: string[] = []

      await readEvents(stream, (event, { file, position, nextPosition }) => {
        if (event.tag === 'heartbeat') places.push(`${file}:${position} ${nextPosition}`)
        return places.length === 3
      })

      const { file, position } = await endOfBinlog(server())
      assert.equal(places.at(-1), `${file}:${position} ${position}`)
      await insert(40, 'after heartbeats')
      assert.deepEqual(await rowsOf(stream, 1), ['40=after heartbeats'])
    })

    test('statements of row events arrive if the dump requests them', async () => {
      await using stream = await openBinlog(server(), await endOfBinlog(server()), { dump: { wantsStatements: true } })
      if (name === 'MySQL') await server().query('SET SESSION binlog_rows_query_log_events = ON')
      const statement = "INSERT INTO live.t VALUES (50, 'as the user wrote it')"
      await server().query(statement)
      const statements: string[] = []

      await readEvents(stream, (event) => {
        if (event.tag === 'statement') statements.push(event.sql)
        return event.tag === 'xid'
      })

      assert.deepEqual(statements, [statement])
    })

    test('a dump by GTIDs begins after them', async () => {
      await insert(60, 'before')
      const variable = name === 'MySQL' ? 'gtid_executed' : 'gtid_binlog_pos'
      const [row] = await server().query(`SELECT @@global.${variable} AS gtids`)
      const gtids = String(row?.['gtids'])
      await insert(61, 'behind')
      const start: DumpStart =
        name === 'MySQL'
          ? { tag: 'mysqlGtids', executed: MySqlGtidSet.parse(gtids) }
          : { tag: 'mariadbGtids', position: MariaDbGtidSet.parse(gtids) }

      await using stream = await openBinlog(server(), start)
      assert.deepEqual(await rowsOf(stream, 1), ['61=behind'])

      if (start.tag !== 'mysqlGtids') return
      const tagged = start.executed.withRange('00000000-0000-0000-0000-00000000000a:blue', 1, 5)
      await using other = await openBinlog(server(), { tag: 'mysqlGtids', executed: tagged })
      assert.deepEqual(await rowsOf(other, 1), ['61=behind'])
    })

    test('reading continues in the next file of a server that was killed or stopped', async () => {
      const from = await endOfBinlog(server())
      await insert(70, 'before the kill')
      await server().kill('SIGKILL')
      await server().start()
      await insert(71, 'before the stop')
      await server().stop()
      await server().start()
      await insert(72, 'at last')
      await using stream = await openBinlog(server(), from)
      const seen: string[] = []

      await readEvents(stream, (event) => {
        if (event.tag === 'stop' || event.tag === 'rotate' || event.tag === 'xid') seen.push(event.tag)
        return seen.filter((tag) => tag === 'xid').length === 3
      })

      assert.ok(seen.includes('stop'), seen.join())
      assert.equal(stream.reader.file, (await endOfBinlog(server())).file)
    })

    test('a lost connection, a position inside an event and a purged file lead to different errors', async () => {
      const from = await endOfBinlog(server())
      await using stream = await openBinlog(server(), from)
      await readEvents(stream, (event) => event.tag === 'formatDescription')
      await server().query(`KILL ${stream.threadId}`)
      await assert.rejects(
        readEvents(stream, () => false),
        { code: 'MYSQL_CONNECTION_LOST', isRetriable: true },
      )

      await using beyond = await openBinlog(server(), { ...from, position: from.position + 1_000_000 })
      await assert.rejects(
        readEvents(beyond, () => false),
        { code: 'BINLOG_POSITION_INVALID', isRetriable: false },
      )

      await Promise.all([stream.close(), beyond.close()])
      await server().query('FLUSH BINARY LOGS')
      const { file } = await endOfBinlog(server())
      await eventually('the file is purged, once no dump thread reads it', async () => {
        await server().query(`PURGE BINARY LOGS TO '${file}'`)
        const files = await server().query('SHOW BINARY LOGS')
        return files[0]?.['Log_name'] === file
      })
      await using purged = await openBinlog(server(), from)
      await assert.rejects(
        readEvents(purged, () => false),
        {
          code: 'BINLOG_UNAVAILABLE',
          message: new RegExp(`the binlog from ${from.file}:${from.position} on: Could not find first log`, 'i'),
        },
      )
    })
  })
}

fullTest('an encrypted binlog of MariaDB is read like any other', async () => {
  await using folder = temporaryFolder('keys')
  const keys = join(folder.path, 'keys')
  writeFileSync(keys, `1;${'0123456789abcdef'.repeat(4)}\n`)
  await using server = await startMariaDb({
    args: [
      `--plugin-dir=${await mariadbPluginFolder()}`,
      '--plugin-load-add=file_key_management',
      `--file-key-management-filename=${keys}`,
      '--encrypt-binlog=ON',
    ],
  })
  const from = await endOfBinlog(server)
  await server.query(
    "CREATE DATABASE live; CREATE TABLE live.t (id INT, v TEXT); INSERT INTO live.t VALUES (1, 'secret')",
  )
  await using fromStart = await openBinlog(server, { ...from, position: 4 })
  await using fromEnd = await openBinlog(server, from)

  assert.ok(!readFileSync(join(server.dataFolder, from.file)).includes('secret'))
  assert.deepEqual(await rowsOf(fromStart, 1), ['1=secret'])
  assert.deepEqual(await rowsOf(fromEnd, 1), ['1=secret'])
})

test('an encrypted binlog of MySQL is read like any other, also with compressed transactions', async () => {
  await using folder = temporaryFolder('keys')
  await using server = await startMySql({ keyringFolder: folder.path, args: ['--binlog-encryption=ON'] })
  const from = await endOfBinlog(server)
  await server.query(
    "CREATE DATABASE live; CREATE TABLE live.t (id INT, v TEXT); INSERT INTO live.t VALUES (1, 'secret')",
  )
  await server.query('SET SESSION binlog_transaction_compression = ON')
  await server.query("INSERT INTO live.t VALUES (2, 'compressed')")
  await using fromStart = await openBinlog(server, { ...from, position: 4 })
  await using fromEnd = await openBinlog(server, from)

  const [state] = await server.query('SHOW BINARY LOGS')
  assert.equal(state?.['Encrypted'], 'Yes')
  assert.ok(!readFileSync(join(server.dataFolder, from.file)).includes('secret'))
  assert.deepEqual(await rowsOf(fromStart, 2), ['1=secret', '2=compressed'])
  assert.deepEqual(await rowsOf(fromEnd, 2), ['1=secret', '2=compressed'])
})
