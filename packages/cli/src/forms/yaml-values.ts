import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml'
import { FormError } from './form-error.ts'
import { DEPTH_MAX, VALUES_MAX } from './limits.ts'
import { numberText } from './number-text.ts'

/**
 * The values of a YAML document as JSON would have them, with numbers as texts. A plain scalar that YAML 1.1 (kubectl)
 * and YAML 1.2 read differently is an error, because it may be a password: `0123`, `yes`, `1_000`, `2024-01-01`. So are
 * tags. Aliases are followed, within the limit of values.
 */
export class YamlValues {
  readonly #document: Document.Parsed
  #count = 0

  constructor(document: Document.Parsed) {
    this.#document = document
  }

  /** Converts a node and everything in it. */
  of(node: unknown, depth = 0): unknown {
    this.#count += 1
    if (this.#count > VALUES_MAX) {
      throw this.#fault(`it has more than ${VALUES_MAX} values, counting those that aliases repeat`, node)
    }
    if (depth > DEPTH_MAX) throw this.#fault(`it has more than ${DEPTH_MAX} levels`, node)
    if (isAlias(node)) return this.of(this.#target(node), depth + 1)
    if (isScalar(node)) return this.#scalar(node)
    if (isSeq(node)) return node.items.map((item) => this.of(item, depth + 1))
    if (isMap(node)) return this.#map(node.items, depth)
    return null
  }

  #fault(message: string, at: unknown): FormError {
    const start = isNode(at) ? at.range?.[0] : undefined
    return new FormError(message, start ?? null)
  }

  #target(alias: Alias): Node {
    const target = alias.resolve(this.#document)
    if (target === undefined) throw this.#fault('an alias has no anchor', alias)
    return target
  }

  #map(pairs: readonly Pair[], depth: number): Readonly<Record<string, unknown>> {
    const own = new Map<string, unknown>()
    const merged = new Map<string, unknown>()
    for (const { key, value } of pairs) {
      const name = this.#name(key)
      const isMerge = name === '<<' && isScalar(key) && key.type === 'PLAIN'
      if (!isMerge) own.set(name, this.of(value, depth + 1))
      else {
        for (const [property, each] of this.#merged(value, depth + 1)) {
          if (!merged.has(property)) merged.set(property, each)
        }
      }
    }
    return Object.fromEntries([...merged, ...own])
  }

  /** The entries that `<<` adds: of a map, or of each map of a list, of which earlier ones win. */
  #merged(value: unknown, depth: number): readonly (readonly [string, unknown])[] {
    const found = this.of(value, depth)
    const maps: readonly unknown[] = Array.isArray(found) ? found : [found]
    return maps.flatMap((map) => {
      if (typeof map === 'object' && map !== null && !Array.isArray(map)) return Object.entries(map)
      throw this.#fault('a merge key (<<) has a value that is not a map', value)
    })
  }

  #name(key: unknown): string {
    const name = this.of(key)
    if (typeof name === 'string') return name
    throw this.#fault('a key is not a text', key)
  }

  #scalar(node: Scalar): unknown {
    const { value, source = '', type } = node
    if (type !== 'PLAIN' || node.tag !== undefined) return typeof value === 'number' ? String(value) : value
    const text = typeof value === 'number' ? numberText(source) : value
    if (text === null && value !== null) throw this.#ambiguous(node)
    if (typeof text === 'string' && typeof value !== 'number' && OTHER_IN_YAML_1_1.test(text))
      throw this.#ambiguous(node)
    return text
  }

  #ambiguous(node: Scalar): FormError {
    return this.#fault(
      'a value without quotes is a number, a date or a boolean in one version of YAML and another value in another one; write it in quotes',
      node,
    )
  }
}

/** Texts in YAML 1.2 that are booleans, numbers or times in YAML 1.1, which kubectl reads. */
const OTHER_IN_YAML_1_1 =
  /^(y|n|yes|no|on|off)$|^[-+]?[0-9][0-9_]*_[0-9_.]*$|^[-+]?0b[01_]+$|^[-+]?\d{1,2}(:[0-5]?\d)+(\.\d*)?$|^\d{4}-\d{1,2}-\d{1,2}([Tt \t].*)?$/i
