import {
  changed,
  columnDefinition,
  type Conversation,
  cutAt,
  endless,
  EOF,
  errorPayload,
  type Fault,
  instead,
  OK,
  packetHeader,
  packetOf,
  packetsOf,
  payloadsOf,
  resultPayloads,
} from '@tributary/testkit'
import type { FaultCase } from './fault-case.ts'

/** What goes wrong with the answer to a statement. */
const FAULTS: Readonly<Record<string, Fault['bend']>> = {
  'no byte, then closed': cutAt(0, 'close'),
  'no byte, then silent': cutAt(0, 'stall'),
  'half a header, then silent': cutAt(2, 'stall'),
  'half, then closed': (bytes) => cutAt(bytes.length >> 1, 'close')(bytes),
  'half, then reset': (bytes) => cutAt(bytes.length >> 1, 'reset')(bytes),
  'half, then silent': (bytes) => cutAt(bytes.length >> 1, 'stall')(bytes),
  'all but the last byte, then closed': (bytes) => cutAt(bytes.length - 1, 'close')(bytes),
  'without its end': changed((bytes) => packetsOf(payloadsOf(bytes).slice(0, -1), 1), 'stall'),
  'without its first packet': changed((bytes) => packetsOf(payloadsOf(bytes).slice(1), 1), 'close'),
  'numbers from 5 on': changed((bytes) => packetsOf(payloadsOf(bytes), 5), 'stall'),
  'a number twice': changed((bytes) => Buffer.concat([bytes.subarray(0, 4 + bytes.readUIntLE(0, 3)), bytes]), 'stall'),
  'an empty packet': instead(packetHeader(0, 1), 'stall'),
  'a file of this host': instead(packetOf(Buffer.from('\xfb/etc/passwd\x1b[2J', 'latin1'), 1), 'stall'),
  'a number of columns without end': instead(packetOf(Buffer.from('feffffffffffffffff', 'hex'), 1), 'stall'),
  'a number of columns that ends early': instead(packetOf(Buffer.from([0xfe, 1]), 1), 'stall'),
  'no columns': instead(packetsOf([Buffer.from([0x03]), EOF, EOF], 1), 'stall'),
  'a column of nothing': instead(packetsOf([Buffer.from([1]), Buffer.from('\x03def\xff', 'latin1')], 1), 'stall'),
  'a column in an unknown charset': instead(unknownCharset(), 'stall'),
  'rows that are shorter': instead(packetsOf([...resultHead(3), Buffer.from([1, 0x78]), EOF], 1), 'stall'),
  'rows that are longer': instead(packetsOf([...resultHead(1), Buffer.from('\x01a\x01b\x01c'), EOF], 1), 'stall'),
  'a value past the end': instead(packetsOf([...resultHead(1), Buffer.from('fdffffff61', 'hex'), EOF], 1), 'stall'),
  'an error without text': instead(packetOf(errorPayload(2_000, ''), 1), 'continue'),
  'an error that colours': instead(packetOf(errorPayload(1_105, '\x1b[31m\r\nERROR forged\u202e'), 1), 'continue'),
  'an error that is cut': instead(packetOf(Buffer.from([0xff, 1]), 1), 'stall'),
  'an error, and more': instead(packetsOf([errorPayload(1_105, 'first'), errorPayload(1_105, 'second')], 1), 'stall'),
  'OK twice': instead(packetsOf([OK, OK], 1), 'stall'),
  'OK, with another to follow': instead(packetOf(Buffer.from([0, 0, 0, 0x0a, 0, 0, 0]), 1), 'stall'),
  zeros: instead(Buffer.alloc(64), 'close'),
  text: instead(Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n'), 'close'),
}

function resultHead(columns: number): readonly Buffer[] {
  return resultPayloads(
    Array.from({ length: columns }, (_, i) => `c${i}`),
    [],
  ).slice(0, -1)
}

/** Collation 65,535. */
function unknownCharset(): Buffer {
  const column = columnDefinition('c')
  column.writeUInt16LE(0xff_ff, column.length - 12)
  return packetsOf([Buffer.from([1]), column, EOF, Buffer.from([1, 0x78]), EOF], 1)
}

/** Each fault at each statement of a check: of both servers, in the order of the recording. */
export function* answerCases({ flavor, answers }: Conversation): Generator<FaultCase> {
  const all = Object.keys(answers)
  yield { kind: 'answer', name: 'healthy', flavor, entry: 'check', server: {}, ends: 'healthy' }
  // The first statement of the task's own.
  for (const sql of all.slice(0, all.findIndex((each) => each.includes('net_write_timeout')) - 1)) {
    for (const [name, bend] of Object.entries(FAULTS)) {
      const fault: Fault = { matches: (point) => point.tag === 'answer' && point.sql === sql, bend }
      const more = { isSilent: true, ends: 'unharmed' } as const
      const label = `${sql.replaceAll(/\s+/g, ' ').slice(0, 60)}: ${name}`
      yield { kind: 'answer', name: label, flavor, entry: 'check', server: { faults: [fault] }, ...more }
    }
  }
}

const ROWS = Buffer.concat(Array.from({ length: 10_240 }, (_, i) => packetOf(Buffer.from([1, 0x78]), 4 + i)))
const COLUMNS = Buffer.concat(Array.from({ length: 10_240 }, (_, i) => packetOf(columnDefinition('c'), 2 + i)))
const PART = Buffer.concat([packetHeader(0xff_ff_ff, 4), Buffer.alloc(0xff_ff_ff, 0x78)])
const HEAD = packetsOf(resultHead(1), 1)

/** Answers without end to the first statement of a check. */
export function* endlessCases({ flavor }: Conversation): Generator<FaultCase> {
  for (const [name, head, repeated] of [
    ['rows', HEAD, ROWS],
    ['columns', packetOf(Buffer.from([0xfd, 0xff, 0xff, 0xff]), 1), COLUMNS],
    ['parts of a row', HEAD, PART],
  ] as const) {
    const fault: Fault = { matches: ({ tag }) => tag === 'answer', bend: endless(() => head, repeated) }
    const more = { ends: 'failed', reads: /MYSQL_(ANSWER_TOO_LARGE|PROTOCOL)/ } as const
    yield { kind: 'without end', name, flavor, entry: 'check', server: { faults: [fault] }, ...more }
  }
}
