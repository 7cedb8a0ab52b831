/** Something that reads bytes of a server. */
export interface Surface {
  readonly name: string
  /** True: inputs are UTF-8 texts, which are changed word by word. */
  readonly isText: boolean
  /** What a server sends. */
  readonly seeds: readonly Seed[]
  /** Reads an input as far as it goes. It ends, or throws an error that `isExpected` accepts. */
  run(input: Buffer, seed: Seed): void
  isExpected(error: unknown): boolean
}

export interface Seed {
  readonly bytes: Buffer
  /** What a server sends before it. */
  readonly context: readonly Buffer[]
}

/** The error of readers that do not know their position. A call stack that overflows is a RangeError too. */
export function isRangeError(error: unknown): boolean {
  return error instanceof RangeError && !/call stack|array length|string length|buffer allocation/i.test(error.message)
}
