/**
 * Where the fields of a document begin in its text: what a compressor that is told needs in order to find each of them in the
 * document before. Whoever writes a document adds a mark where a field begins, its name included.
 *
 * Marks are a hint. Wrong ones, or none, cost bytes and nothing else.
 */
export class FieldMarks {
  /** Positions in the writer's bytes, ascending; the first `count` are set. */
  readonly positions: Int32Array
  count = 0
  /** Equal for documents that have the same structures in them: one bit for each that may be absent. */
  shape = 0
  /** The fields `[twinStart, twinEnd)` are those that stand `twinDistance` marks before, with other values or the same. */
  twinStart = 0
  twinEnd = 0
  twinDistance = 0
  #firstImage = -1

  /** Fields behind the first `countMax` are not marked. */
  constructor(countMax: number) {
    this.positions = new Int32Array(countMax)
  }

  add(position: number): void {
    if (this.count < this.positions.length) this.positions[this.count++] = position
  }

  /** A structure that may be absent is so, or is not. */
  addStructure(isAbsent: boolean): void {
    this.shape = (this.shape << 1) | (isAbsent ? 1 : 0)
  }

  /** The fields from here on are those of the first of two structures that are alike, as a row before a change and after it. */
  beginFirstImage(): void {
    this.#firstImage = this.count
  }

  /** The fields since the mark `start` were those of the second. Does nothing when there was no first one in the document. */
  endSecondImage(start: number): void {
    if (this.#firstImage < 0) return
    this.twinStart = start
    this.twinEnd = this.count
    this.twinDistance = start - this.#firstImage
  }

  reset(): void {
    this.count = 0
    this.shape = 0
    this.twinEnd = 0
    this.#firstImage = -1
  }
}
