import {
  changed,
  cutAt,
  endless,
  errorPayload,
  type Fault,
  greetingPayload,
  instead,
  packetHeader,
  packetOf,
  seededRandom,
} from '@tributary/testkit'
import type { FaultCase } from './fault-case.ts'

const isGreeting: Fault['matches'] = (point) => point.tag === 'greeting'
const GREETING = greetingPayload()
const SIZE = packetOf(GREETING, 0).length

/** What other programs send to a client that connects, before it has sent anything. */
const OTHER_PROGRAMS: Readonly<Record<string, Buffer>> = {
  'an answer of HTTP': Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
  'a banner of SSH': Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'),
  'a greeting of FTP': Buffer.from('220 (vsFTPd 3.0.5)\r\n'),
  'a greeting of SMTP': Buffer.from('220 mail.example.com ESMTP Postfix\r\n'),
  'an alert of TLS': Buffer.from('15030300020228', 'hex'),
  'an error of PostgreSQL': Buffer.from('E\0\0\0\x1aSFATAL\0C08P01\0Mno\0\0', 'latin1'),
  'an error of Redis': Buffer.from('-ERR max number of clients reached\r\n'),
  'a line of colours': Buffer.from('\x1b[31mred\x1b[0m\r\nERROR a line of its own\r\n'),
  zeros: Buffer.alloc(64),
  'a small answer': Buffer.from('no\n'),
  'one byte': Buffer.from('!'),
  'bytes of 255': Buffer.alloc(64, 0xff),
  'a line without end': Buffer.alloc(100_000, 0x78),
}

/** X Protocol: int<4> length · int<1> type 11, NOTICE · … */
const X_GREETING = Buffer.from('050000000b08051a00', 'hex')

function check(kind: string, name: string, bend: Fault['bend'], more: Partial<FaultCase> = {}): FaultCase {
  const server = { greeting: { recorded: null }, faults: [{ matches: isGreeting, bend, times: 2 }] }
  return { kind, name, flavor: 'mysql', entry: 'check', server, ...more }
}

function* otherPrograms(): Generator<FaultCase> {
  for (const [name, bytes] of Object.entries(OTHER_PROGRAMS)) {
    for (const then of ['close', 'reset', 'stall'] as const) {
      const more = { isSilent: then === 'stall', ends: 'failed', reads: /^\[MYSQL_NOT_A_SERVER\].* it sent "/ } as const
      // A reset may discard what was sent before it.
      const isShort = bytes.length < 3
      const reads = then === 'reset' || isShort ? /^\[MYSQL_(NOT_A_SERVER|UNREACHABLE)\]/ : more.reads
      yield check('other programs', `${name}, then ${then}`, instead(bytes, then), { ...more, reads })
    }
  }
  const x = { ends: 'failed', reads: /^\[MYSQL_NOT_A_SERVER\].*X Protocol/ } as const
  yield check('other programs', 'the X protocol', instead(X_GREETING), x)
  const random = seededRandom(20)
  for (let i = 0; i < 24; i++) {
    const bytes = Buffer.from(Array.from({ length: random.integer(5, 200) }, () => random.integer(0, 255)))
    yield check('other programs', `random bytes ${i}`, instead(bytes, 'close'), {
      ends: 'failed',
      reads: /NOT_A_SERVER/,
    })
  }
}

function* versions(): Generator<FaultCase> {
  for (const protocol of [0, 1, 9, 11, 42, 254]) {
    const greeting = packetOf(greetingPayload({ protocol }), 0)
    const reads = new RegExp(`^\\[MYSQL_NOT_A_SERVER\\].*version ${protocol} of the protocol`)
    yield check('greeting, version', `protocol ${protocol}`, instead(greeting), { ends: 'failed', reads })
  }
  for (const [name, version] of [
    ['none', ''],
    ['a line and a colour', '8.0.0\n\x1b[31mred'],
    ['long', '8'.repeat(5_000)],
  ] as const) {
    yield check('greeting, version', name, instead(packetOf(greetingPayload({ version }), 0)), { ends: 'unharmed' })
  }
}

function* cuts(): Generator<FaultCase> {
  for (let size = 0; size < SIZE; size++) {
    for (const ending of ['close', 'reset', 'stall'] as const) {
      const reads =
        size === 0 && ending === 'stall' ? /MYSQL_UNREACHABLE.*sent nothing/ : /MYSQL_(UNREACHABLE|NOT_A_SERVER)/
      const more = { ends: 'failed', isSilent: ending === 'stall', reads } as const
      yield check(`greeting, ${ending}`, `after byte ${size}`, cutAt(size, ending), more)
    }
    const short = packetOf(GREETING.subarray(0, size), 0)
    yield check('greeting, shorter', `${size} bytes`, instead(short), { ends: 'unharmed' })
  }
}

function* lengths(): Generator<FaultCase> {
  for (const length of [0, 1, 4, GREETING.length - 1, GREETING.length + 1, 300, 65_535, 0xff_ff_ff]) {
    const bytes = Buffer.concat([packetHeader(length, 0), GREETING])
    yield check('greeting, length', `${length}`, instead(bytes, 'stall'), { ends: 'unharmed', isSilent: true })
  }
  for (const sequence of [1, 2, 127, 255]) {
    const more = { ends: 'failed', reads: /MYSQL_NOT_A_SERVER/ } as const
    yield check('greeting, sequence', `${sequence}`, instead(packetOf(GREETING, sequence)), more)
  }
  const part = Buffer.concat([packetHeader(0xff_ff_ff, 0), Buffer.alloc(0xff_ff_ff, 0x78)])
  yield check(
    'without end',
    'a greeting',
    endless(() => Buffer.alloc(0), part),
    { ends: 'failed' },
  )
  const real = endless((bytes) => bytes.subarray(0, 10), Buffer.alloc(65_536, 0x31))
  yield check('without end', 'a version', real, { ends: 'failed' })
}

function* bytesChanged(): Generator<FaultCase> {
  for (let at = 0; at < SIZE; at++) {
    const flip = changed((bytes) => {
      const copy = Buffer.from(bytes)
      copy[at] = (copy[at] ?? 0) ^ 0xff
      return copy
    }, 'stall')
    yield check('greeting, byte changed', `byte ${at}`, flip, { ends: 'failed', isSilent: true })
  }
}

const REFUSALS = [
  [1040, 'Too many connections', '08004', /MYSQL_BUSY.*Too many connections/],
  [
    1129,
    "Host '10.0.0.1' is blocked because of many connection errors; unblock with 'mysqladmin flush-hosts'",
    null,
    /MYSQL_BUSY.*blocked/,
  ],
  [1130, "Host '10.0.0.1' is not allowed to connect to this MySQL server", null, /MYSQL_ACCESS_DENIED.*not allowed/],
  [1203, 'User u already has more than max_user_connections', '42000', /MYSQL_BUSY/],
  [1045, "Access denied for user '\x1b[2J\n2026 ERROR forged'", '28000', /MYSQL_ACCESS_DENIED/],
  [3159, 'x'.repeat(60_000), '08004', /x…/],
  [0, '', null, /MYSQL_/],
  [65_535, 'a number that no server uses', 'HY000', /a number that no server uses/],
] as const

function* refusals(): Generator<FaultCase> {
  for (const [errno, message, state, reads] of REFUSALS) {
    for (const sequence of [0, 1]) {
      const bytes = packetOf(errorPayload(errno, message, state), sequence)
      const more = { ends: 'failed', reads: sequence === 0 ? reads : /MYSQL_/ } as const
      yield check('error instead of greeting', `${errno}, sequence ${sequence}`, instead(bytes, 'close'), more)
    }
  }
  for (const payload of ['ff', 'ff10', 'ff1004', 'ff100423', 'ff1004233038']) {
    const bytes = packetOf(Buffer.from(payload, 'hex'), 0)
    yield check('error instead of greeting', `cut: ${payload}`, instead(bytes, 'close'), { ends: 'failed' })
  }
}

/** Faults of the first packet. */
export function greetingCases(): readonly FaultCase[] {
  return [otherPrograms, versions, cuts, lengths, bytesChanged, refusals].flatMap((each) => [...each()])
}
