import { describeError } from '@tributary/support'
import { type SeededRandom, seededRandom } from '@tributary/testkit'
import { mutatedBytes, mutatedText } from './mutate.ts'
import type { Seed, Surface } from './surface.ts'

/** What became of an input. */
export type Outcome =
  | { readonly tag: 'read' }
  | { readonly tag: 'refused' }
  /** An error that is not the surface's own. */
  | { readonly tag: 'defect'; readonly error: string }

export interface HostileInput {
  readonly surface: Surface
  readonly seed: Seed
  readonly bytes: Buffer
}

/** Inputs by number: the same seed and number give the same input, as long as the corpus has not grown. */
export class HostileInputs {
  readonly #surfaces: readonly Surface[]
  readonly #seed: number
  readonly #corpus: ReadonlyMap<Surface, Seed[]>

  constructor(surfaces: readonly Surface[], seed: number) {
    this.#surfaces = surfaces
    this.#seed = seed
    this.#corpus = new Map(surfaces.map((surface) => [surface, [...surface.seeds]]))
  }

  /** From 0. */
  at(index: number): HostileInput {
    const random = seededRandom(Math.imul(this.#seed, 0x9e37_79b1) + index * 7919)
    const surface = random.pick(this.#surfaces)
    const corpus = this.#corpus.get(surface) ?? []
    const seed = random.pick(corpus)
    return { surface, seed, bytes: changed(random, surface, seed, random.pick(corpus)) }
  }

  /** An input that reached code that no other did: it is changed further. */
  keep({ surface, seed, bytes }: HostileInput): void {
    this.#corpus.get(surface)?.push({ bytes, context: seed.context })
  }

  get corpusSize(): number {
    return [...this.#corpus.values()].reduce((sum, { length }) => sum + length, 0)
  }
}

function changed(random: SeededRandom, { isText }: Surface, seed: Seed, other: Seed): Buffer {
  const change = isText && random() < 0.8 ? mutatedText : mutatedBytes
  return change(random, seed.bytes, other.bytes)
}

export function outcomeOf({ surface, seed, bytes }: HostileInput): Outcome {
  try {
    surface.run(Buffer.from(bytes), seed)
    return { tag: 'read' }
  } catch (error) {
    if (surface.isExpected(error)) return { tag: 'refused' }
    return { tag: 'defect', error: `${describeError(error)}\n${error instanceof Error ? error.stack : ''}` }
  }
}
