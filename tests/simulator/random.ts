/** Random numbers that are the same for the same seed (xorshift128, seeded by splitmix32). */
export class Random {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(seed: number) {
    let state = seed | 0
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0
      let z = state
      z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
      return (z ^ (z >>> 16)) >>> 0
    }
    this.#a = next()
    this.#b = next()
    this.#c = next()
    this.#d = next() | 1
  }

  /** In [0, 1). */
  next(): number {
    let t = this.#d
    const s = this.#a
    this.#d = this.#c
    this.#c = this.#b
    this.#b = s
    t ^= t << 11
    t ^= t >>> 8
    this.#a = (t ^ s ^ (s >>> 19)) >>> 0
    return this.#a / 4_294_967_296
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** Between `min` and `max`, small numbers as often as large ones. */
  spread(min: number, max: number): number {
    return Math.round(min * (max / min) ** this.next())
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** Another sequence: what it is used for does not change this one. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296))
  }
}
