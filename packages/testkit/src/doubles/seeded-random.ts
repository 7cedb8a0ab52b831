import { present } from '@tributary/support'

/** Random numbers that repeat with the same seed. Callable like `Math.random`. */
export interface SeededRandom {
  /** 0 ≤ x < 1. */
  (): number
  readonly seed: number
  /** A whole number, `from` ≤ x < `to`. */
  integer(from: number, to: number): number
  pick<T>(items: readonly T[]): T
  bytes(count: number): Buffer
}

/** Without a seed, one is drawn. Print it (`random.seed`), so that a failure can be repeated. */
export function seededRandom(seed: number = Math.floor(Math.random() * 2 ** 32)): SeededRandom {
  let state = seed >>> 0
  // A Weyl sequence through the 32-bit finaliser of MurmurHash3: good enough to choose test cases, nothing more.
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from))
  return Object.assign(next, {
    seed,
    integer,
    pick: <T>(items: readonly T[]): T => present(items[integer(0, items.length)], 'a list to pick from is not empty'),
    bytes: (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => integer(0, 256))),
  })
}
