import { HeaderBlock } from '../protocol/header-block.ts'
import type { OutgoingRecord, RecordHeader, RecordPart } from '../api/records.ts'

/**
 * Options of `testRecords`: seeded records with shared prefixes, nulls, headers, and lengths around the limits of LZ4's
 * length bytes.
 */
export interface TestRecordsOptions {
  readonly seed: number
  readonly count: number
  readonly restBytesMax?: number
}

export function testRecords(options: TestRecordsOptions): OutgoingRecord[] {
  const { count, restBytesMax = 700 } = options
  const random = lcg(options.seed)
  const prefixes = [10, 24, 25, 150, 285, 3000, 70_000].map((length) => randomText(random, length))
  const part = (): RecordPart => {
    const prefix = prefixes[random(random(10) === 0 ? prefixes.length : 6)] ?? Buffer.alloc(0)
    const rest = randomText(random, random(2) === 0 ? random(40) : random(restBytesMax))
    const start = random(5)
    const buffer = Buffer.concat([Buffer.alloc(start), rest, Buffer.from('not part of it').subarray(random(14))])
    return { prefix, buffer, ...viewIf(random(2) === 0, buffer), start, end: start + rest.length }
  }
  return Array.from({ length: count }, (_, token) => ({
    key: random(8) === 0 ? null : part(),
    value: random(8) === 0 ? null : random(2) === 0 ? part() : rowPart(random, prefixes[4] ?? Buffer.alloc(0)),
    headers: random(6) === 0 ? headersOf(random) : [],
    partition: 0,
    timestamp: 1_763_718_000_000 + random(100_000) - 50_000,
    token,
  }))
}

/** Half of the lists are blocks. */
function headersOf(random: (below: number) => number): OutgoingRecord['headers'] {
  const list = [
    { key: Buffer.from('__debezium.newkey'), value: randomText(random, random(80)) },
    { key: Buffer.alloc(0), value: null },
  ]
  if (random(2) === 0) return list
  const block = new HeaderBlock()
  for (const { key, value } of list) block.add(key, value, value?.length ?? 0)
  return block
}

/**
 * A text with fields that resemble those of other such texts, as rows do: the same but for a digit, longer, shorter, of
 * repeated words, or different. Half of the texts hold the fields twice, as an update does.
 */
function rowPart(random: (below: number) => number, prefix: Buffer): RecordPart {
  const field = (i: number): string => {
    const value = [`${random(10)}`, `${random(100_000)}`, `text ${random(12)} `.repeat(random(30)), 'the same'][
      random(4)
    ]
    return `"field_${i}_of_a_table":"${value}, and an ending that all rows share",`
  }
  const fields = Array.from({ length: 2 + random(8) }, (_, i) => field(i))
  const changed = random(2) === 0 ? [] : fields.map((text, i) => (random(3) === 0 ? field(i) : text))
  const text = Buffer.from(`${[...fields, ...changed].join('')}"source":{"name":"server"}`)
  // With and without room after it, as a ByteWriter has.
  const buffer = Buffer.concat([text, Buffer.alloc(random(20))])
  return { prefix, buffer, ...viewIf(random(2) === 0, buffer), start: 0, end: text.length }
}

function viewIf(has: boolean, { buffer, byteOffset, length }: Buffer): Pick<RecordPart, 'view'> {
  return has ? { view: new DataView(buffer, byteOffset, length) } : {}
}

/** All bytes of a part. */
export function partOf(part: RecordPart | null): Buffer | null {
  return part && Buffer.concat([part.prefix, part.buffer.subarray(part.start, part.end)])
}

/** The headers of a record, also of one with a block of headers. */
export function headerList({ headers }: OutgoingRecord): readonly RecordHeader[] {
  return 'count' in headers ? headers.list() : headers
}

/** Bytes that no codec compresses. */
export function noise(length: number): Buffer {
  const random = lcg(length)
  return Buffer.from(Array.from({ length }, () => random(256)))
}

/** Pseudo-random integers from 0 to `below` - 1. */
function lcg(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function randomText(random: (below: number) => number, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => 0x20 + random(0x5f)))
}
