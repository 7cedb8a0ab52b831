/** The text is not a list or map: it is a string. */
export class LiteralError extends Error {
  override readonly name: string = 'LiteralError'
}
