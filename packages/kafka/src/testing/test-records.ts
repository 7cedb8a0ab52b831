import { FieldMarks } from '@tributary/support'
import type { MarkedText, OutgoingRecord, RecordPart } from '../api/records.ts'

/** Records for tests: seeded, with prefixes that repeat, nulls, headers, and lengths around the limits of LZ4's length bytes. */
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
    return {
      prefix,
      buffer: Buffer.concat([Buffer.alloc(start), rest, Buffer.from('not part of it')]),
      start,
      end: start + rest.length,
    }
  }
  return Array.from({ length: count }, (_, token) => ({
    key: random(8) === 0 ? null : part(),
    value: random(8) === 0 ? null : random(2) === 0 ? part() : markedPart(random, prefixes[4] ?? Buffer.alloc(0)),
    headers:
      random(6) === 0
        ? [
            { key: Buffer.from('__debezium.newkey'), value: randomText(random, random(80)) },
            { key: Buffer.alloc(0), value: null },
          ]
        : [],
    partition: 0,
    timestamp: 1_763_718_000_000 + random(100_000) - 50_000,
    token,
  }))
}

/**
 * A text whose fields are marked, and resemble those of other such texts as rows do: the same but for a digit, longer, shorter, of
 * repeated words, or not at all. Some of the marks are wrong.
 */
function markedPart(random: (below: number) => number, prefix: Buffer): RecordPart {
  const marks = new FieldMarks(40)
  const field = (i: number): string => {
    const value = [`${random(10)}`, `${random(100_000)}`, `text ${random(12)} `.repeat(random(30)), 'the same'][
      random(4)
    ]
    return `"field_${i}_of_a_table":"${value}, and what is always the same behind it",`
  }
  const fields = Array.from({ length: 2 + random(8) }, (_, i) => field(i))
  const changed = fields.map((text, i) => (random(3) === 0 ? field(i) : text))
  const hasTwin = random(2) === 0
  let text = ''
  const write = (fieldText: string): void => {
    marks.add(random(30) === 0 ? random(3000) : text.length)
    text += fieldText
  }
  marks.addStructure(hasTwin)
  marks.beginFirstImage()
  for (const each of fields) write(each)
  const second = marks.count
  if (hasTwin) for (const each of changed) write(each)
  marks.endSecondImage(second)
  write('"source":{"name":"server"}')
  // With and without room behind it, as a ByteWriter has.
  const buffer = Buffer.concat([Buffer.from(text), Buffer.alloc(random(20))])
  const marked: MarkedText = { view: new DataView(buffer.buffer, buffer.byteOffset, buffer.length), marks }
  return { prefix, buffer, start: 0, end: text.length, text: marked }
}

/** The bytes of a part in one piece. */
export function partOf(part: RecordPart | null): Buffer | null {
  return part && Buffer.concat([part.prefix, part.buffer.subarray(part.start, part.end)])
}

/** Bytes that no codec makes smaller. */
export function noise(length: number): Buffer {
  const random = lcg(length)
  return Buffer.from(Array.from({ length }, () => random(256)))
}

/** Numbers from 0 up to, but not, `below`. */
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
