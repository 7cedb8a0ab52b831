import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Struct } from '@tributary/connect-api'
import { type Poll, type RecordFormat, SnapshotNumbers, TableId } from '@tributary/connector-kit'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { mysqlFlavor } from '../flavor/mysql-flavor.ts'
import { IncrementalProgress } from '../offset/incremental-progress.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import type { SourceInfo } from '../source/source-info.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import type { Chunk } from './chunk-reader.ts'
import { IncrementalSnapshot } from './incremental-snapshot.ts'

const SERVER = '11111111-1111-1111-1111-111111111111'
/** Read after the transaction 5, of which the stream has 4. */
const chunk: Chunk = {
  rows: [[1]],
  upTo: null,
  maximum: null,
  place: { file: 'binlog.000002', position: 500, gtids: `${SERVER}:1-5` },
  serverIdentity: SERVER,
  signature: '',
  isOtherOrder: false,
  threadId: null,
  bytes: 0,
  estimates: new Map(),
}

for (const [title, { identity, pos, isReached }] of Object.entries({
  'the server of the chunk, at its place': { identity: SERVER, pos: 500, isReached: true },
  'the server of the chunk, before its place': { identity: SERVER, pos: 499, isReached: false },
  'a server that is not known': { identity: undefined, pos: 500, isReached: false },
})) {
  test(`a stream without some GTIDs reaches a chunk by file and position: on ${title}`, async () => {
    const logger = captureLogger()
    const clock = fakeClock()
    const interpreter = shopInterpreter()
    interpreter.interpret('CREATE TABLE t (id INT PRIMARY KEY)', { database: 'shop' })
    const handled: string[] = []
    const poll = {
      records: [],
      nowMicros: 0,
      signal: new AbortController().signal,
      handle: ({ tag }: { readonly tag: string }) => {
        handled.push(tag)
        return null
      },
    } as unknown as Poll
    const snapshot = new IncrementalSnapshot({
      tables: interpreter.tables,
      isCaptured: () => true,
      messageKeyOf: () => null,
      skips: { operations: new Set(), unchangedRows: false },
      compiler: testCompiler({}),
      reader: {
        read: () => Promise.resolve(chunk),
        hasTable: () => Promise.resolve(true),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      flavor: mysqlFlavor,
      format: { source: () => null as unknown as Struct } as unknown as RecordFormat<SourceInfo>,
      numbers: new SnapshotNumbers(),
      clock,
      logger,
    })
    const id = TableId.of('shop', 't')
    snapshot.begin(
      IncrementalProgress.none.withAdded([{ id, condition: null, surrogateKey: null, correlationId: null }]),
    )
    const gtids = `${SERVER}:1-4`
    const server = identity === undefined ? {} : { server_identity: identity }
    const position = StreamPosition.parse({ file: 'binlog.000002', pos, gtids, ...server })
    assert.ok(position !== null)
    snapshot.reached(position, poll)
    await snapshot.poll(poll, false)
    // The chunk is there in the next turn of the event loop.
    await setImmediate()
    await snapshot.poll(poll, false)
    assert.equal(handled.includes('rows'), isReached)
    if (isReached) return
    await clock.advance(6 * 60_000)
    await snapshot.poll(poll, false)
    assert.equal(logger.matching(/have waited for 6 minutes: the stream is at/).length, 1)
  })
}
