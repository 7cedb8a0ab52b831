/**
 * Decodes the bytes `[start, end)` to a string. The same shape as the TextDecoder of connect-api, which this package must
 * not import.
 */
export type CharsetDecoder = (bytes: Buffer, start: number, end: number) => string
