/**
 * Poison: a mode for tests that finds values that are used after their poll.
 *
 * The values of a poll refer to memory that the next poll reuses: blocks that a socket reads into, the places of a
 * row's values, the buffers that a record is encoded into. Code that keeps such a value reads, some polls later, bytes
 * of another row: a wrong event that no test notices. With poison on, the owner of such memory overwrites it as soon as
 * the poll is over, so the first use afterwards yields 0xA5 bytes or throws.
 *
 * `npm test` switches it on for all tests, their threads and the programs that they start. It is off everywhere else;
 * the owners of such memory then only read this constant, once per poll or per row.
 */
// A variable reaches all threads and child processes without further code. Only this file reads it.
// oxlint-disable-next-line no-restricted-properties -- see above
export const isPoisonOn: boolean = process.env['TRIBUTARY_POISON'] === '1'

/** No ASCII, no valid UTF-8, a negative and improbable number in every width. */
export const POISON_BYTE = 0xa5

/** Overwrites memory that must not be used any more. Only called when `isPoisonOn`. */
export function poisonBytes(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
  bytes.fill(POISON_BYTE, start, end)
}

/** A value was used after its poll. */
export class PoisonedError extends Error {
  override readonly name: string = 'PoisonedError'

  constructor(what: string) {
    super(`${what} is used after its poll is over; to keep a record longer, copy it with detach() of connect-api`)
  }
}

/** Makes every later read of these properties throw. Only called when `isPoisonOn`. */
export function poisonProperties(target: object, names: readonly string[], what: string): void {
  for (const name of names) {
    Object.defineProperty(target, name, {
      get() {
        throw new PoisonedError(what)
      },
    })
  }
}
