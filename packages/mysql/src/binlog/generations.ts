export interface GenerationsOptions<K, V> {
  /** What the values of one generation weigh together, about. */
  readonly weightMax: number
  readonly weightOf: (value: V, key: K) => number
  /** So many are kept, whatever they weigh. Default: 0. */
  readonly countMin?: number
}

/**
 * A cache in two generations. What is used moves into the younger one; when that is full it becomes the older one, and what nobody has used
 * since the last time goes. So at least what fills one generation is there, and at most what fills two, at the price of a map.
 */
export class Generations<K, V> {
  readonly #options: GenerationsOptions<K, V>
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  /** Of the younger one. */
  #weight = 0

  constructor(options: GenerationsOptions<K, V>) {
    this.#options = options
  }

  get(key: K): V | undefined {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const older = this.#old.get(key)
    if (older !== undefined) this.add(key, older)
    return older
  }

  add(key: K, value: V): void {
    const { weightMax, weightOf, countMin = 0 } = this.#options
    if (this.#weight >= weightMax && this.#young.size >= countMin) {
      this.#old = this.#young
      this.#young = new Map()
      this.#weight = 0
    }
    this.#young.set(key, value)
    this.#weight += weightOf(value, key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#weight = 0
  }
}
