import {
  changed,
  type Conversation,
  cutAt,
  endless,
  errorPayload,
  type Fault,
  instead,
  isAnswerTo,
  OK,
  packetHeader,
  packetOf,
  packetsOf,
  payloadsOf,
} from '@tributary/testkit'
import type { FaultCase } from './fault-case.ts'

const isRows = isAnswerTo(/^SELECT `id`/)
const RECOVERED = { ends: 'recovered' } as const

function snapshot({ flavor }: Conversation, name: string, fault: Fault, more: Partial<FaultCase> = {}): FaultCase {
  return { kind: 'snapshot', name, flavor, entry: 'snapshot', server: { faults: [fault] }, ...RECOVERED, ...more }
}

/** Faults of the answer that has the rows. */
function* rows(conversation: Conversation, step: number): Generator<FaultCase> {
  const bytes = Object.entries(conversation.answers).find(([sql]) => isRows({ tag: 'answer', sql }))?.[1][0] ?? ''
  for (let size = 0; size < Buffer.byteLength(bytes, 'base64'); size += step) {
    for (const ending of ['close', 'reset'] as const) {
      yield snapshot(conversation, `rows cut after byte ${size}, ${ending}`, {
        matches: isRows,
        bend: cutAt(size, ending),
      })
    }
  }
  for (const [name, bend] of [
    ['OK', instead(packetOf(OK, 1))],
    ['nothing', instead(packetHeader(0, 1))],
    ['a file of this host', instead(packetOf(Buffer.from('\xfb/etc/passwd', 'latin1'), 1))],
    ['too many columns', instead(packetOf(Buffer.from('fcffff', 'hex'), 1))],
    ['a number that is missing', changed((all) => packetsOf(payloadsOf(all), 3))],
    ['a row that is lost', changed((all) => withoutPacket(all, 7))],
    [
      'a row that is empty',
      changed((all) =>
        packetsOf(
          payloadsOf(all).map((payload, i) => (i === 6 ? Buffer.alloc(0) : payload)),
          1,
        ),
      ),
    ],
    [
      'a row that ends early',
      changed((all) =>
        packetsOf(
          payloadsOf(all).map((payload, i) => (i === 6 ? payload.subarray(0, 3) : payload)),
          1,
        ),
      ),
    ],
    ['more after the end', changed((all) => Buffer.concat([all, packetOf(OK, payloadsOf(all).length + 1)]))],
    [
      'no end of the columns',
      changed((all) =>
        packetsOf(
          payloadsOf(all).filter((_, i) => i !== 5),
          1,
        ),
      ),
    ],
    [
      'an end of 40 bytes',
      changed((all) =>
        packetsOf(
          payloadsOf(all).map((payload, i) => (i === 7 ? Buffer.alloc(40, 0xfe) : payload)),
          1,
        ),
      ),
    ],
    ['a lost connection', instead(packetOf(errorPayload(1927, 'Connection was killed', '70100'), 1))],
  ] as const) {
    yield snapshot(conversation, `rows: ${name}`, { matches: isRows, bend })
  }
  const part = Buffer.concat([packetHeader(0xff_ff_ff, 1), Buffer.alloc(0xff_ff_ff)])
  yield snapshot(conversation, 'rows: parts without end', {
    matches: isRows,
    bend: endless(() => Buffer.alloc(0), part),
  })
}

function withoutPacket(bytes: Buffer, index: number): Buffer {
  const starts = [0]
  for (const payload of payloadsOf(bytes)) starts.push((starts.at(-1) ?? 0) + 4 + payload.length)
  return Buffer.concat([bytes.subarray(0, starts[index]), bytes.subarray(starts[index + 1])])
}

/** The statements before the rows, each interrupted or without an answer. */
function* statements(conversation: Conversation): Generator<FaultCase> {
  for (const [name, words] of [
    ['session', /net_write_timeout = 86400, character_set_results/],
    ['tables', /^SHOW FULL TABLES/],
    ['position', /^SHOW (BINARY LOG|MASTER) STATUS/],
    ['lock', /^FLUSH TABLES WITH READ LOCK/],
    ['transaction', /^START TRANSACTION/],
    ['structure', /^SHOW CREATE TABLE/],
    ['release of the lock', /^UNLOCK TABLES/],
  ] as const) {
    for (const [ending, bend] of [
      ['closed', cutAt(0, 'close')],
      ['cut', cutAt(6, 'reset')],
      ['silent', cutAt(0, 'stall')],
      ['half', cutAt(6, 'stall')],
      ['killed', instead(packetOf(errorPayload(1317, 'Query execution was interrupted', '70100'), 1))],
      ['numbers', changed((all) => packetsOf(payloadsOf(all), 4))],
    ] as const) {
      yield snapshot(conversation, `${name}: ${ending}`, { matches: isAnswerTo(words), bend })
    }
  }
}

export function snapshotCases(conversation: Conversation, step = 7): readonly FaultCase[] {
  return [...rows(conversation, step), ...statements(conversation)]
}
