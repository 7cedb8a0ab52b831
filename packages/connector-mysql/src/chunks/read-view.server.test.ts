/** What a chunk on MariaDB may see, by file and position or by GTIDs of what the stream has handled. */
import { CodedError } from '@tributary/support'
import { useMariaDb } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mariadbFlavor } from '../flavor/mariadb-flavor.ts'
import { type LogPlace, StreamPosition } from '../offset/stream-position.ts'
import { openSession } from '../snapshot/snapshot-session.ts'
import { connectionOf } from '../testing/binlog-of.ts'
import { openView } from './read-view.ts'

const { signal } = new AbortController()

interface Handled {
  readonly place: LogPlace
  readonly gtids: string
  /** Null: not known. */
  readonly binlogEnd: LogPlace | null
}

/** Opens a view for a stream that has handled what `of` returns for the end of the binlog. */
async function open(of: (end: LogPlace, gtids: string) => Handled): Promise<'open' | 'late'> {
  const database = await useMariaDb()
  await using connection = await openSession(connectionOf(database), signal)
  const serverInfo = await mariadbFlavor.readServerInfo(connection)
  const now = await mariadbFlavor.readPosition(connection, serverInfo)
  const { place, gtids, binlogEnd } = of(now, String(now.gtids))
  const stored = StreamPosition.parse({ file: 'former.000001', pos: 4, gtids })
  assert.ok(stored !== null)
  const handled = stored
    .onServer(mariadbFlavor.parseGtids(gtids), serverInfo.identity, binlogEnd)
    .afterCommit({ name: place.file, createdSeconds: null }, place.position, null)
  try {
    const view = await openView({ connection, flavor: mariadbFlavor, serverInfo, handled, wait: { signal } })
    await view.end()
    return 'open'
  } catch (error) {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'INCREMENTAL_COMMITS_LATE')
    return 'late'
  }
}

/** Of a domain that the server has not logged. */
const LACKING = ',77-1-5'
const later = ({ file, position }: LogPlace): LogPlace => ({ file, position: position + 1e9 })

test('file and position prove what a chunk sees only past the end that the binlog had at the connection', async () => {
  assert.equal(await open((end, gtids) => ({ place: end, gtids, binlogEnd: end })), 'open')
  assert.equal(await open((end, gtids) => ({ place: end, gtids, binlogEnd: null })), 'open', 'by GTIDs')
  // The stream was at `place` before it had read what was executed on a former server.
  assert.equal(await open((end, gtids) => ({ place: end, gtids: gtids + LACKING, binlogEnd: later(end) })), 'late')
  assert.equal(await open((end, gtids) => ({ place: end, gtids: gtids + LACKING, binlogEnd: null })), 'late')
})

test('a chunk waits for a commit that the stream has handled and other sessions do not see yet', async () => {
  const handled = await open((end, gtids) => ({ place: later(end), gtids: gtids + LACKING, binlogEnd: end }))
  assert.equal(handled, 'late')
})
