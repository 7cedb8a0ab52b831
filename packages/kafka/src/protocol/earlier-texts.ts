import type { MarkedText, RecordPart } from '../api/records.ts'
import { MATCH_DISTANCE_MAX, type Lz4BlockWriter } from './lz4-block-writer.ts'
import { DifferenceWriter } from './text-difference.ts'

/** A text that stands in the block, for texts of the same schema and shape to be compared with. */
export interface EarlierText {
  readonly prefix: Uint8Array
  readonly shape: number
  /** The places where its fields begin. */
  readonly marks: Int32Array
  bytes: Buffer
  view: DataView
  length: number
  /** Where it begins in the block, uncompressed. */
  position: number
}

/**
 * The texts of one block that later ones are compared with: the last one, nearly, of each schema and shape. An insert
 * resembles the insert before it more than the update in between.
 */
export class EarlierTexts {
  readonly #texts: EarlierText[] = []
  readonly #difference: DifferenceWriter
  readonly #block: Lz4BlockWriter
  #nextReplaced = 0

  constructor(block: Lz4BlockWriter) {
    this.#block = block
    this.#difference = new DifferenceWriter(block)
  }

  /** Another block begins. */
  forget(): void {
    this.#texts.length = 0
    this.#nextReplaced = 0
  }

  /** Writes the part behind its prefix, as what differs from an earlier one when there is one. */
  write(part: RecordPart, text: MarkedText): void {
    const { marks } = text
    const { position } = this.#block
    const earlier = part.end > TEXT_BYTES_MAX ? null : this.#find(part.prefix, marks.shape, marks.count)
    if (earlier !== null && position + part.end - earlier.position <= MATCH_DISTANCE_MAX) {
      this.#difference.write(part, text, earlier)
      if (position - earlier.position >= RENEWED_AFTER_BYTES) keep(earlier, part, text, position)
      return
    }
    this.#block.literals(part.buffer, text.view, 0, part.end)
    if (part.end <= TEXT_BYTES_MAX) keep(earlier ?? this.#add(part, text), part, text, position)
  }

  #find(prefix: Uint8Array, shape: number, count: number): EarlierText | null {
    const texts = this.#texts
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i] as EarlierText
      if (text.prefix === prefix && text.shape === shape && text.marks.length === count) return text
    }
    return null
  }

  #add({ prefix, end }: RecordPart, { marks: { shape, count } }: MarkedText): EarlierText {
    const bytes = Buffer.allocUnsafeSlow(end * 2)
    const view = viewOf(bytes)
    const text: EarlierText = { prefix, shape, marks: new Int32Array(count), bytes, view, length: 0, position: 0 }
    this.#texts[this.#nextReplaced++ % TEXTS_MAX] = text
    return text
  }
}

/** Insert, update and delete of a table, and one more. */
const TEXTS_MAX = 4
/** Longer texts are not compared: four of them are kept for each open batch, and they would soon be out of reach. */
const TEXT_BYTES_MAX = 16_384
/** A text is kept again when it stands so far behind the one before: keeping each costs 60 ns, and saves 5 bytes of 160. */
const RENEWED_AFTER_BYTES = 16_384

function keep(earlier: EarlierText, part: RecordPart, { marks }: MarkedText, position: number): void {
  const length = part.end
  if (length > earlier.bytes.length) {
    earlier.bytes = Buffer.allocUnsafeSlow(length * 2)
    earlier.view = viewOf(earlier.bytes)
  }
  part.buffer.copy(earlier.bytes, 0, 0, length)
  earlier.length = length
  earlier.position = position
  const kept = earlier.marks
  for (let i = 0; i < kept.length; i++) kept[i] = marks.positions[i] as number
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
