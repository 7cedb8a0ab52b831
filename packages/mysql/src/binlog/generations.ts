export interface GenerationsOptions<K, V> {
  /** Approximate limit for the weight of all values of one generation. */
  readonly weightMax: number
  readonly weightOf: (value: V, key: K) => number
  /** A generation keeps at least this many values, whatever they weigh. Default: 0. */
  readonly countMin?: number
}

/**
 * A cache with two generations. A value that is used moves into the younger generation. When that is full, it becomes
 * the older one, and the values of the previous older one are dropped: nobody has used them since the last change. The
 * cache holds at least the latest used values that fill one generation, and at most two generations, for the cost of
 * two maps.
 */
export class Generations<K, V> {
  readonly #options: GenerationsOptions<K, V>
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  /** Weight of the younger generation. */
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
