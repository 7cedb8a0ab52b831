/** A broken invariant: a bug of this program, never a fault of its input or surroundings. It stops the task it happens in. */
export class AssertionError extends Error {
  override readonly name: string = 'AssertionError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/** The default branch of a switch over a union: does not compile while a member is missing. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`)
}

/** Asserts that a value is there, where the types cannot know it (an index computed from a length, a filled map). */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`${what} is missing`)
  return value
}
