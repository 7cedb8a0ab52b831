import { createLogger, type Logger } from '@tributary/support'

/**
 * Prints what the Kafka client logs (its warnings, and when their cause has ended) as plain lines on standard error.
 * Standard output contains only records.
 */
export function createNoteLogger(note: (text: string) => void): Logger {
  return createLogger('info', (line) => {
    const { msg } = JSON.parse(line) as { readonly msg: string }
    note(msg)
  })
}
