import { createLogger, type Logger } from '@tributary/support'
import { noteOf } from '../logging/note.ts'

/**
 * The log of the engine on standard error, for a person: warnings and errors without the context of a worker, or with
 * `--verbose` everything.
 */
export class TailLog {
  readonly logger: Logger
  /** Whether an error was logged: some changes are missing, such as those of a table that is stopped. */
  hasErrors = false

  constructor(note: (text: string) => void, isVerbose: boolean) {
    this.logger = createLogger(isVerbose ? 'info' : 'warn', (line) => {
      const { text, isError } = noteOf(line)
      if (isError) this.hasErrors = true
      note(text)
    })
  }
}
