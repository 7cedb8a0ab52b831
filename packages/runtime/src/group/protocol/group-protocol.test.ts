import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeAssignment, encodeAssignment, type Assignment } from './assignment.ts'
import {
  decodeMemberState,
  encodeMemberState,
  offeredProtocols,
  versionOfProtocol,
  type MemberState,
} from './member-state.ts'
import type { OwnData } from './own-data.ts'

interface CapturedMember {
  readonly shape: string
  readonly protocol: string
  readonly metadata: string
  readonly assignment: string
}

const captured = fixture<readonly CapturedMember[]>('captured.json')
/** By GroupProtocolVectors.java. */
const vectors = fixture<readonly { readonly name: string; readonly hex: string }[]>('java.json')

function fixture<T>(name: string): T {
  const file = new URL(`../../../fixtures/group-protocol/${name}`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as T
}

for (const [i, { shape, metadata, assignment }] of captured.entries()) {
  test(`what workers of Kafka Connect wrote is read, and written again byte for byte: ${shape} (${i})`, () => {
    const state = decodeMemberState(Buffer.from(metadata, 'hex'))
    assert.equal(encodeMemberState(state).toString('hex'), metadata)
    assert.equal(state.own, null)
    const decoded = decodeAssignment(Buffer.from(assignment, 'hex'))
    assert.equal(encodeAssignment(decoded).toString('hex'), assignment)
  })
}

for (const { name, hex } of vectors) {
  test(`Kafka Connect's own codec: ${name}`, () => {
    const bytes = Buffer.from(hex, 'hex')
    const again = name.startsWith('metadata')
      ? encodeMemberState(decodeMemberState(bytes))
      : encodeAssignment(decodeAssignment(bytes))
    assert.equal(again.toString('hex'), hex)
  })
}

test('the fields of an assignment that moves work', () => {
  const { hex = '' } = vectors.find(({ name }) => name === 'assignment moving v2') ?? {}
  assert.deepEqual(decodeAssignment(Buffer.from(hex, 'hex')), {
    version: 2,
    error: 0,
    leader: 'connect-a:8083-5f7e',
    leaderUrl: 'http://a:8083/',
    configOffset: 17n,
    assigned: { connectors: ['é'], tasks: [{ connector: 'é', task: 0 }] },
    revoked: {
      connectors: ['old'],
      tasks: [
        { connector: 'old', task: 0 },
        { connector: 'x', task: 2 },
      ],
    },
    delayMs: 0,
  })
})

test('what two workers have reported, and then got, is each connector and each task once', () => {
  const shared = captured.filter(({ shape }) => shape === 'sessioned: the work is shared')
  const works = shared.flatMap(({ metadata, assignment }) => [
    decodeMemberState(Buffer.from(metadata, 'hex')).allocation?.assigned,
    decodeAssignment(Buffer.from(assignment, 'hex')).assigned,
  ])
  const names = ['recorded-a', 'recorded-b', 'recorded-ü']
  assert.deepEqual(works.flatMap((each) => each?.connectors ?? []).toSorted(), names)
  assert.deepEqual(
    works
      .flatMap((each) => each?.tasks ?? [])
      .map(({ connector }) => connector)
      .toSorted(),
    names,
  )
})

const own: OwnData = {
  version: '0.2.0',
  features: ['loads'],
  group: 'g',
  configTopic: 'configs',
  offsetTopic: 'offsets',
  statusTopic: 'statuses',
  sessionTimeoutMs: 10_000,
  process: { host: 'a', bootId: 'b', pidNamespace: 'pid:[1]', pid: 7, startTime: '99' },
  loads: [
    { connector: 'heavy', task: 0, bytesPerSecond: 9 },
    { connector: 'light', task: 1, bytesPerSecond: 2 },
  ],
  isLeaving: true,
}

const allocation: Assignment = {
  version: 2,
  error: 0,
  leader: 'm',
  leaderUrl: 'http://a:8083/',
  configOffset: 3n,
  assigned: { connectors: ['a'], tasks: [{ connector: 'a', task: 0 }] },
  revoked: { connectors: [], tasks: [] },
  delayMs: 0,
}

test('our own data follows the fields of Kafka Connect in each version, and is read again', () => {
  for (const version of [0, 1, 2] as const) {
    const state: MemberState = {
      version,
      url: 'http://a:8083/',
      configOffset: 5n,
      allocation: version === 0 ? null : { ...allocation, version },
      own,
    }
    const bytes = encodeMemberState(state)
    assert.deepEqual(decodeMemberState(bytes), state)
    const plain = encodeMemberState({ ...state, own: null })
    assert.equal(bytes.subarray(0, plain.length).equals(plain), true)
  }
})

test('the metadata of a worker of an earlier version names it', () => {
  const document = Buffer.from(
    JSON.stringify({ group: 'g', configTopic: 'c', sessionTimeoutMs: 10_000, process: null }),
  )
  // version 0, URL, config offset -1, length of the document
  const head = Buffer.from('0000' + '000e' + '687474703a2f2f613a383038332f' + 'ffffffffffffffff', 'hex')
  const length = Buffer.alloc(4)
  length.writeInt32BE(document.length)
  const { url, own: data } = decodeMemberState(Buffer.concat([head, length, document]))
  assert.equal(url, 'http://a:8083/')
  assert.deepEqual([data?.group, data?.configTopic, data?.version, data?.loads], ['g', 'c', '', null])
})

test('bytes after the fields that are no document of ours are ignored, as in Kafka Connect', () => {
  const plain = encodeMemberState({ version: 2, url: 'u', configOffset: 1n, allocation: null, own: null })
  for (const more of ['00', '7fffffff61', '000000026b5d', 'ffffffff', '0000000461626364', '000000047b7d7d7d']) {
    const state = decodeMemberState(Buffer.concat([plain, Buffer.from(more, 'hex')]))
    assert.equal(state.own, null, more)
    assert.equal(state.url, 'u')
  }
})

const eleven = '000e687474703a2f2f613a383038332f'
const tolerated = [
  ['metadata without an allocation', `0002${eleven}0000000000000005`],
  ['metadata of a later version', `0009${eleven}0000000000000005ffffffff`],
] as const

for (const [name, hex] of tolerated) {
  test(`is read, as by Kafka Connect: ${name}`, () => {
    assert.equal(decodeMemberState(Buffer.from(hex, 'hex')).url, 'http://a:8083/')
  })
}

test('an assignment may end after the config offset, after the work, or after what is revoked', () => {
  const head = '0002000000026d3100000000000000000005'
  for (const more of ['', '00000000', '0000000000000000', 'fffffff0'])
    assert.deepEqual(decodeAssignment(Buffer.from(head + more, 'hex')).configOffset, 5n, more)
})

const damaged = [
  ['a negative version', 'ffff', /version cannot be read, because it is -1/],
  ['nothing', '', /version cannot be read, because it needs 2 bytes, but 0 follow/],
  ['a URL that is cut off', '0002000e6874', /url cannot be read, because it needs 14 bytes, but 2 follow/],
  ['a URL of negative length', '0002ffff', /url cannot be read, because its length is -1/],
  ['a config offset that is cut off', `0002${eleven}00000000`, /config-offset cannot be read/],
  ['an allocation that is cut off', `0002${eleven}00000000000000050000ffff0002`, /allocation cannot be read/],
  [
    'an allocation of two billion connectors',
    `0002${eleven}000000000000000500000016` + '0002000000026d31000000000000000000057fffffff',
    /assignment cannot be read, because it declares 2147483647 items, but 0 bytes follow/,
  ],
  [
    'an allocation with a task -2',
    `0002${eleven}000000000000000500000021` + '0002000000026d310000000000000000000500000001000161' + '00000001fffffffe',
    /connector a has a task -2/,
  ],
] as const

for (const [name, hex, message] of damaged) {
  test(`damage is an error that names the place: ${name}`, () => {
    assert.throws(() => decodeMemberState(Buffer.from(hex, 'hex')), { code: 'GROUP_PROTOCOL_DAMAGED', message })
  })
}

test('whatever the bytes are, they are read or refused as damaged', () => {
  const valid = encodeMemberState({ version: 2, url: 'http://a:8083/', configOffset: 5n, allocation, own })
  const bent = fc.tuple(fc.nat({ max: valid.length - 1 }), fc.nat({ max: 255 }))
  fc.assert(
    fc.property(fc.array(bent, { maxLength: 5 }), fc.nat({ max: valid.length }), (changes, length) => {
      const bytes = Buffer.from(valid)
      for (const [at, value] of changes) bytes[at] = value
      try {
        decodeMemberState(bytes.subarray(0, length))
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, 'GROUP_PROTOCOL_DAMAGED')
      }
    }),
    { numRuns: 500, seed: 24_000_002 },
  )
})

test('a member offers the protocols up to its setting, the newest first', () => {
  const state = { url: 'u', configOffset: 1n, allocation, own: null }
  const offered = (setting: 'eager' | 'compatible' | 'sessioned'): readonly unknown[] =>
    offeredProtocols(state, setting).map(({ name, metadata }) => {
      const { version, allocation: reported } = decodeMemberState(metadata)
      return [name, version, reported?.version ?? null]
    })
  assert.deepEqual(offered('sessioned'), [
    ['sessioned', 2, 2],
    ['compatible', 1, 1],
    ['default', 0, null],
  ])
  assert.deepEqual(offered('compatible'), [
    ['compatible', 1, 1],
    ['default', 0, null],
  ])
  assert.deepEqual(offered('eager'), [['default', 0, null]])
  assert.deepEqual(['sessioned', 'compatible', 'default', 'range'].map(versionOfProtocol), [2, 1, 0, null])
})
