/**
 * Node's Buffer has, for each encoding, methods without option parsing; `toString` and `write` call them. They are not in
 * the type declarations. The hot path uses them: at a dozen calls a record the parsing shows in a profile.
 */
declare global {
  interface Buffer {
    latin1Slice(start: number, end: number): string
    utf8Slice(start: number, end: number): string
    /** Bytes written. */
    latin1Write(text: string, offset: number, length: number): number
    /** Bytes written; a character that does not fit whole is left out. */
    utf8Write(text: string, offset: number, length: number): number
  }
}

export {}
