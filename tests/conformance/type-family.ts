import type { SeededRandom } from '@tributary/testkit'

/** A column type with its edge values and a generator of random ones, all as SQL expressions. */
export interface TypeValues {
  readonly type: string
  readonly values: readonly string[]
  readonly draw: (random: SeededRandom) => string
}

export interface TypeFamily {
  readonly name: string
  readonly types: readonly TypeValues[]
}
