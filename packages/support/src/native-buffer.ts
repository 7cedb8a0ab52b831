/**
 * Node's Buffer has methods for each encoding, without option parsing; `toString` and `write` call them. The type
 * declarations omit them. The hot path uses them: at a dozen calls per record the parsing is visible in a profile.
 */
declare global {
  interface Buffer {
    latin1Slice(start: number, end: number): string
    utf8Slice(start: number, end: number): string
    /** Returns the bytes written. */
    latin1Write(text: string, offset: number, length: number): number
    /** Returns the bytes written; a character that does not fit is omitted. */
    utf8Write(text: string, offset: number, length: number): number
  }
}

export {}
