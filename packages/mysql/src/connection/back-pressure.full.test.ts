import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventually, startFaultProxy, startMariaDb, startMySql, type FaultProxy } from '@tributary/testkit'
import { RowStream } from '../resultset/row-stream.ts'
import { TextRowCodec } from '../resultset/text-row-codec.ts'
import { endOfBinlog, loginOf, openBinlog } from '../testing/live-binlog.ts'
import { textTarget } from '../testing/text-targets.ts'
import { MySqlConnection } from './mysql-connection.ts'

const MIB = 1 << 20
const ROWS = 300
const ROW_BYTES = MIB
/** The largest socket buffers of the server, the proxy and the client, and the client's queue. */
const IN_FLIGHT_BYTES_MAX = 40 * MIB

/** Buffers that something still refers to: those that await a garbage collection do not count. */
function bytesHeld(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().arrayBuffers
}

/** Waits until no more bytes pass the proxy: a server with hundreds of megabytes to send has then stopped sending. */
async function standstill(proxy: FaultProxy): Promise<number> {
  let last = -1
  let quiet = 0
  await eventually('the server waits', () => {
    quiet = proxy.bytes.fromTarget === last ? quiet + 1 : 0
    last = proxy.bytes.fromTarget
    return quiet >= 40
  })
  return last
}

for (const [name, start] of [
  ['MySQL', startMySql],
  ['MariaDB', startMariaDb],
] as const) {
  test(`${name} stops sending while the reader does not read, for the binlog and for a result set`, async () => {
    await using server = await start()
    const from = await endOfBinlog(server)
    await server.query('CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v LONGTEXT)')
    for (let i = 0; i < ROWS; i++) await server.query(`INSERT INTO d.t (v) VALUES (REPEAT('x', ${ROW_BYTES}))`)
    await using proxy = await startFaultProxy({ target: server })
    const heldBefore = bytesHeld()

    await using stream = await openBinlog(server, from, { through: proxy })
    const streamed = await standstill(proxy)
    assert.ok(
      streamed > 0 && streamed < IN_FLIGHT_BYTES_MAX,
      `${streamed} bytes of the binlog arrived before the first read`,
    )
    let rowsEvents = 0
    while (rowsEvents < ROWS) {
      const event = stream.next()
      if (event === null) await stream.wait(AbortSignal.timeout(60_000))
      else if (event.tag === 'rows') rowsEvents += 1
    }
    await stream.close()

    const before = proxy.bytes.fromTarget
    await using connection = await MySqlConnection.open(loginOf(proxy))
    await using rows = await RowStream.open(connection, 'SELECT v FROM d.t', 'reading')
    const selected = (await standstill(proxy)) - before
    assert.ok(
      selected > 0 && selected < IN_FLIGHT_BYTES_MAX,
      `${selected} bytes of the result arrived before the first read`,
    )
    const held = bytesHeld() - heldBefore
    assert.ok(held < IN_FLIGHT_BYTES_MAX, `the process, with the proxy, holds ${held} bytes`)
    const codec = new TextRowCodec([textTarget('text')])
    let count = 0
    while (!rows.isDone) {
      const row = rows.next(codec)
      if (row !== null) {
        assert.equal(row[0]?.length, ROW_BYTES)
        count += 1
      } else if (!rows.isDone) await rows.wait(AbortSignal.timeout(60_000))
    }
    assert.equal(count, ROWS)
  })
}
