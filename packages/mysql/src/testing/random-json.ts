import type { SeededRandom } from '@tributary/testkit'

/** Keys that paths have to quote, or that sort in another order by length than by text. */
const KEYS = [
  'a',
  'b',
  'z',
  'aa',
  'ab',
  'key',
  'a b',
  'a.b',
  'x"y',
  'back\\slash',
  '$',
  '[0]',
  'é',
  '漢字',
  '😀',
  '1',
  'last',
  '',
]

const NUMBERS = [0, 1, -1, 32767, 32768, -32769, 65535, 65536, 2 ** 31, -(2 ** 31) - 1, 1.5, -0.25, 1e300]

/** A JSON document as a JavaScript value. */
export function randomDocument(random: SeededRandom, depth: number): unknown {
  const kind = random.integer(0, depth === 0 ? 4 : 8)
  if (kind === 0) return JSON.parse(random.pick(['null', 'true', 'false'])) as unknown
  if (kind <= 2) return random.pick(NUMBERS)
  if (kind === 3) return randomText(random)
  if (kind <= 5) return Array.from({ length: random.integer(0, 6) }, () => randomDocument(random, depth - 1))
  const members = Array.from({ length: random.integer(0, 6) }, () => [
    random.pick(KEYS),
    randomDocument(random, depth - 1),
  ])
  return Object.fromEntries(members) as unknown
}

function randomText(random: SeededRandom): string {
  const length = random() < 0.05 ? random.integer(1000, 70_000) : random.integer(0, 40)
  return random.pick(['x', 'é', '"', '\\', '\n', '😀', 'ab ']).repeat(length)
}

/** A path into a document, as SQL functions take it, that often leads to something. */
export function randomPath(random: SeededRandom, document: unknown): string {
  let path = '$'
  for (let at = document; ;) {
    if (path !== '$' && random() < 0.25) return path
    if (Array.isArray(at) && random() < 0.9) {
      const index = random.integer(0, at.length + 1)
      path += random() < 0.3 ? `[last${random() < 0.5 ? '' : `-${random.integer(0, 3)}`}]` : `[${index}]`
      at = at[index]
    } else if (typeof at === 'object' && at !== null && random() < 0.9) {
      const key = random() < 0.7 ? random.pick([...Object.keys(at), 'new']) : random.pick(KEYS)
      path += `.${JSON.stringify(key)}`
      at = (at as Record<string, unknown>)[key]
    } else return path === '$' || random() < 0.3 ? `${path}[${random.integer(0, 2)}]` : path
    if (at === undefined) return path
  }
}
