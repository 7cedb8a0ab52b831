/** What a line of the log says to a person who watches a command. */
export interface LogNote {
  readonly text: string
  /** Of an error or a fatal one. */
  readonly isError: boolean
}

/** Reads a line of the logger: its message with that of its error, without the context of a worker. */
export function noteOf(line: string): LogNote {
  const { msg, level, error } = JSON.parse(line) as LogLine
  return {
    text: error?.message === undefined ? msg : `${msg}: ${error.message}`,
    isError: level === 'error' || level === 'fatal',
  }
}

interface LogLine {
  readonly msg: string
  readonly level: string
  readonly error?: { readonly message?: string }
}
