/** A broken invariant: a bug of this program, never an error of its input or environment. It stops the task. */
export class AssertionError extends Error {
  override readonly name: string = 'AssertionError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/** For the default branch of a switch over a union: does not compile while a member is missing. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`)
}

/** Asserts that a value is not null or undefined where the types cannot express it (a computed index, a filled map). */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`${what} is missing`)
  return value
}
