import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capturedColumns, capturedJson } from '../../fixtures/captured-columns.ts'
import { type CapturedName, capturedBinlog, readerOf } from '../testing/captured-binlog.ts'
import { textTarget } from '../testing/text-targets.ts'
import type { ColumnKind } from '../values/column-target.ts'
import type { BinlogEvent } from './binlog-event.ts'
import { RowCodec } from './row-codec.ts'
import { ABSENT } from './row-value.ts'
import type { TableMap } from './table-map.ts'

// Compares events of real servers, read by our code, with what the server's mysqlbinlog prints for the same bytes.

const READABLE: readonly CapturedName[] = [
  'mysql.01',
  'mysql.02',
  'mysql.03',
  'mysql.04',
  'mysql.05',
  'mysql.06',
  'mysql.07',
  'mysql.08',
  'mysql.09',
  'mariadb.01',
  'mariadb.02',
  'mariadb.03',
  'mariadb.04',
]

/** How the line of an event begins in mysqlbinlog's output, and the event's tag in our code. */
const TAGS: readonly [printed: string, tag: string][] = [
  ['Start', 'formatDescription'],
  ['Previous-GTIDs', 'previousGtids'],
  ['Anonymous_GTID', 'anonymousGtid'],
  ['GTID\tlast', 'gtid'],
  ['GTID ', 'mariadbGtid'],
  ['Gtid list', 'mariadbGtidList'],
  ['Query', 'query'],
  ['Rows_query', 'statement'],
  ['Annotate_rows', 'statement'],
  ['Table_map', 'tableMap'],
  ['Transaction_Payload', 'payload'],
  ['Write_compressed_rows', 'rows write'],
  ['Write_rows', 'rows write'],
  ['Update_rows', 'rows update'],
  ['Delete_rows', 'rows delete'],
  ['Xid', 'xid'],
  ['XA PREPARE', 'xaPrepare'],
  ['XID =', 'xaPrepare'],
  ['Rotate', 'rotate'],
  ['Stop', 'stop'],
  ['Intvar', 'ignored'],
  ['Rand', 'ignored'],
  ['User_var', 'ignored'],
  ['Binlog checkpoint', 'ignored'],
]

interface PrintedEvent {
  readonly tag: string
  readonly serverId: number
  readonly nextPosition: number
  /** The rest of the event's line, and the lines up to the next event. */
  readonly text: string
}

function printedEvents(printed: string): PrintedEvent[] {
  const line = /^#\d{6} +[\d:]+ server id (\d+)  end_log_pos (\d+) (?:CRC32 0x[0-9a-f]+ )?\t(.*)$/gm
  const found = [...printed.matchAll(line)]
  return found.map((match, i) => {
    const [, serverId, end, what = ''] = match
    const tag = TAGS.find(([begin]) => what.startsWith(begin))?.[1] ?? `unknown: ${what}`
    const text = printed.slice(match.index, found[i + 1]?.index).slice(match[0].length - what.length)
    return { tag, serverId: Number(serverId), nextPosition: Number(end), text }
  })
}

function tagOf(event: BinlogEvent): string {
  return event.tag === 'rows' ? `rows ${event.kind}` : event.tag
}

for (const name of READABLE) {
  test(`${name}: events and their positions are those that mysqlbinlog prints, in the same order`, () => {
    const { events, printed } = capturedBinlog(name)
    const reader = readerOf(events)
    assert.equal(reader.next()?.tag, 'rotate')
    let position = 4
    const numbers = new Map<string, string>()
    const all = printedEvents(printed)
    for (const [i, expected] of all.entries()) {
      if (expected.tag === 'payload') continue
      const event = reader.next()
      assert.ok(event !== null)
      const { nextPosition, serverId } = reader
      assert.deepEqual(
        { tag: tagOf(event), position: event.tag === 'rotate' ? position : reader.position, nextPosition, serverId },
        {
          tag: expected.tag,
          position,
          nextPosition: event.tag === 'rotate' ? 4 : expected.nextPosition,
          serverId: expected.serverId,
        },
        expected.text.slice(0, 200),
      )
      if (event.tag === 'rows') assert.equal(nameOf(event.table), numbers.get(numberIn(expected.text)), expected.text)
      else assertContent(event, expected.text)
      if (event.tag === 'tableMap') numbers.set(numberIn(expected.text), nameOf(event.table))
      // Events inside a payload have its end as theirs, and its position.
      if (all[i + 1]?.nextPosition !== expected.nextPosition) position = expected.nextPosition
    }
    assert.equal(reader.next(), null)
  })
}

function nameOf({ database, table }: TableMap): string {
  return `\`${database}\`.\`${table}\``
}

/** The table id, as mysqlbinlog prints it with a table map and with the rows that follow. */
function numberIn(text: string): string {
  const [, number] = /(?:mapped to number|table id) (\d+)/.exec(text) ?? []
  assert.ok(number !== undefined, text)
  return number
}

/** Compares the content of an event with the parts of it that mysqlbinlog prints. */
function assertContent(event: BinlogEvent, text: string): void {
  switch (event.tag) {
    case 'tableMap':
      assert.ok(text.startsWith(`Table_map: ${nameOf(event.table)} mapped to number `), text)
      return
    case 'query':
      assert.ok(text.includes(Buffer.from(event.sql).toString('latin1')), `${event.sql} in ${text}`)
      assert.ok(text.includes(`thread_id=${event.threadId}\t`))
      if (event.database !== '' && text.includes('use `')) assert.ok(text.includes(`use \`${event.database}\``), text)
      if (event.sqlMode !== null && text.includes('sql_mode='))
        assert.ok(text.includes(`sql_mode=${event.sqlMode}/`), text)
      return
    case 'gtid':
      assert.ok(text.includes(`GTID_NEXT= '${event.source}:${event.number}'`), text)
      assert.ok(text.includes(`original_committed_timestamp=${event.originalCommitMicros}\t`), text)
      return
    case 'mariadbGtid': {
      const { domain, server, sequence } = event.gtid
      assert.ok(text.startsWith(`GTID ${domain}-${server}-${sequence} `), text)
      assert.equal(event.isStandalone, !/^(START TRANSACTION|XA START)/m.test(text), text)
      return
    }
    case 'mariadbGtidList':
      for (const { domain, server, sequence } of event.gtids)
        assert.ok(text.includes(`${domain}-${server}-${sequence}`))
      assert.equal(event.gtids.length, [...text.matchAll(/\d+-\d+-\d+/g)].length)
      return
    case 'rotate':
      assert.ok(text.startsWith(`Rotate to ${event.file}  pos: ${event.position}`), text)
      return
    case 'formatDescription':
      assert.ok(text.includes(`server v ${event.serverVersion} created`), text)
      return
    case 'statement': {
      const first = Buffer.from(event.sql).toString('latin1').split('\n')[0] ?? ''
      assert.ok(text.includes(first), `${first} in ${text}`)
      return
    }
    default:
  }
}

/** `###   @3='x' /* …` of a printed rows event: for each image its values by column number. */
function printedImages(text: string): Map<number, string>[] {
  const images: Map<number, string>[] = []
  for (const line of text.split('\n')) {
    if (/^### (SET|WHERE)$/.test(line)) images.push(new Map())
    const match = /^### {3}@(\d+)=(.*?)(?: +\/\* .* \*\/)?$/.exec(line)
    if (match !== null) images.at(-1)?.set(Number(match[1]), match[2] ?? '')
  }
  return images
}

/** A printed value in the form of `textTarget`. */
function valueOf(kind: ColumnKind, printed: string): string | null {
  if (printed === 'NULL') return null
  const bare = printed.replace(/^'(.*)'$/s, '$1')
  switch (kind) {
    case 'integer':
      return bare.split(' ')[0] ?? ''
    case 'float':
    case 'double':
      return String(Number(bare))
    case 'date':
      return bare.replaceAll(':', '-')
    case 'time':
    case 'datetime':
    case 'timestamp':
      return withMicros(bare)
    case 'bit':
      return BigInt(`0b${printed.slice(2, -1)}`)
        .toString(16)
        .toUpperCase()
        .padStart(4, '0')
    case 'set':
      return BigInt(`0b${printed.slice(2, -1)}`).toString()
    case 'binary':
      return unescaped(bare).toString('hex').toUpperCase()
    case 'text':
      return unescaped(bare).toString()
    case 'json':
      return unescaped(bare)
        .toString()
        .replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
    default:
      return bare
  }
}

function withMicros(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

function unescaped(text: string): Buffer {
  const plain = text.replaceAll(
    /\\x([0-9a-f]{2})|\\(.)/gi,
    (_whole, hex: string | undefined, char: string | undefined) =>
      hex === undefined ? (char ?? '') : String.fromCharCode(parseInt(hex, 16)),
  )
  return Buffer.from(plain, 'latin1')
}

for (const name of ['mysql.01', 'mariadb.01'] as const) {
  test(`${name}: values of all kinds, before and after the change, are those that mysqlbinlog prints`, () => {
    const columns = name.startsWith('mysql') ? [...capturedColumns, capturedJson] : capturedColumns
    const kinds: ColumnKind[] = ['integer', ...columns.map(([, kind]) => kind)]
    const { events, printed } = capturedBinlog(name)
    const reader = readerOf(events)
    reader.next()
    const seen: string[] = []
    for (const { text } of printedEvents(printed)) {
      const event = reader.next()
      if (event?.tag !== 'rows' || event.table.table !== 'kinds') continue
      const result = RowCodec.compile(
        event.table,
        kinds.map((kind) => textTarget(kind)),
      )
      assert.ok(result.tag === 'codec')
      const { codec } = result
      const expected = printedImages(text).map((image) => kinds.map((kind, i) => valueOf(kind, image.get(i + 1) ?? '')))
      const ours: unknown[] = []
      while (event.hasMore) {
        if (event.kind !== 'write') ours.push(event.readBefore(codec))
        if (event.kind !== 'delete') ours.push(event.readAfter(codec))
      }
      assert.deepEqual(ours, expected)
      assert.equal(event.isConsumed, true)
      seen.push(`${event.kind} ${ours.length}`)
    }
    assert.deepEqual(seen, ['write 3', 'write 1', 'update 4', 'delete 2'])
  })
}

test('images of binlog_row_image=MINIMAL have the values that mysqlbinlog prints and lack the other columns', () => {
  const kinds = [textTarget('integer'), textTarget('text'), textTarget('double')]
  for (const name of ['mysql.01', 'mariadb.01'] as const) {
    const { events, printed } = capturedBinlog(name)
    const reader = readerOf(events)
    reader.next()
    const rows: unknown[][] = []
    for (const { text } of printedEvents(printed)) {
      const event = reader.next()
      if (event?.tag !== 'rows' || !event.isPartial || event.table.table !== 'b') continue
      const result = RowCodec.compile(event.table, kinds)
      assert.ok(result.tag === 'codec')
      const { codec } = result
      const images =
        event.kind === 'update' ? [event.readBefore(codec), event.readAfter(codec)] : [event.readBefore(codec)]
      rows.push(...images)
      const present = images.map((image) => image.map((value) => value !== ABSENT))
      assert.deepEqual(
        present,
        printedImages(text).map((image) => [1, 2, 3].map((column) => image.has(column))),
      )
      assert.equal(event.hasMore, false)
    }
    // UPDATE b SET w = 2 WHERE id = 1; DELETE FROM b WHERE id = 1
    assert.deepEqual(rows, [
      ['1', ABSENT, ABSENT],
      [ABSENT, ABSENT, '2'],
      ['1', ABSENT, ABSENT],
    ])
  }
})

test('a document of which the event has only the change is whole after it', () => {
  // UPDATE kinds SET c27 = JSON_SET(c27, '$.a', 2), which mysqlbinlog prints as JSON_REPLACE(@29, '$.a', 2).
  const { events, printed } = capturedBinlog('mysql.08')
  const reader = readerOf(events)
  const documents: unknown[][] = []
  for (let event = reader.next(); event !== null; event = reader.next()) {
    if (event.tag !== 'rows' || !event.isPartial) continue
    const kinds: ColumnKind[] = ['integer', ...[...capturedColumns, capturedJson].map(([, kind]) => kind)]
    const result = RowCodec.compile(
      event.table,
      kinds.map((kind) => textTarget(kind)),
    )
    assert.ok(result.tag === 'codec')
    const { codec } = result
    while (event.hasMore) documents.push([event.readBefore(codec).at(-1), event.readAfter(codec).at(-1)])
    assert.equal(event.isConsumed, true)
  }
  const pad = 'x'.repeat(500)
  const changes = [...printed.matchAll(/@29=JSON_REPLACE\(@29, '\$\.a', 2\)/g)]
  assert.ok(changes.length > 0)
  assert.deepEqual(
    documents,
    changes.map(() => [`{"a":1,"pad":"${pad}"}`, `{"a":2,"pad":"${pad}"}`]),
  )
})

test('a row whose image has no column counts as a row', () => {
  // MySQL, binlog_row_image=MINIMAL: INSERT INTO defaults () VALUES (). MariaDB writes the whole row.
  const { events } = capturedBinlog('mysql.01')
  const reader = readerOf(events)
  const rows: unknown[] = []
  for (let event = reader.next(); event !== null; event = reader.next()) {
    if (event.tag !== 'rows' || event.table.table !== 'defaults') continue
    const result = RowCodec.compile(event.table, [textTarget('integer'), textTarget('integer')])
    assert.ok(result.tag === 'codec')
    const { codec } = result
    assert.equal(event.isPartial, true)
    while (event.hasMore) rows.push(event.readAfter(codec))
    assert.equal(event.isConsumed, true)
  }
  assert.deepEqual(rows, [[ABSENT, ABSENT]])
})
