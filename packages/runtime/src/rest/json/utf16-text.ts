/** Text that is built unit by unit, in two bytes a unit: a string of twenty million characters is 40 MB, not a tree. */
export class Utf16Text {
  #units: Uint16Array = new Uint16Array(256)
  #length = 0

  /** Units so far. */
  get length(): number {
    return this.#length
  }

  push(unit: number): void {
    if (this.#length === this.#units.length) this.#grow()
    this.#units[this.#length] = unit
    this.#length += 1
  }

  pushCodePoint(code: number): void {
    if (code <= 0xffff) {
      this.push(code)
      return
    }
    const offset = code - 0x1_0000
    this.push(0xd800 | (offset >> 10))
    this.push(0xdc00 | (offset & 0x3ff))
  }

  toString(): string {
    return Buffer.from(this.#units.buffer, 0, this.#length * 2).toString('utf16le')
  }

  #grow(): void {
    const grown = new Uint16Array(this.#units.length * 2)
    grown.set(this.#units)
    this.#units = grown
  }
}
