/**
 * A file that cannot be read in its form. The message is a part of a sentence (“it has no name”) and quotes nothing of
 * the file but names of properties and variables: values may be passwords.
 */
export class FormError extends Error {
  override readonly name: string = 'FormError'
  /** The offset of the fault in the text; null when it has no single place. */
  readonly at: number | null

  constructor(message: string, at: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.at = at
  }
}

/** A place in a text: its line and column, from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** The place of a character. Lines end with LF, CR LF or CR. */
export function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
