import { createLogger, type Logger } from '@tributary/support'

/**
 * What the Kafka client has to say while somebody watches: its warnings and that they are over, a plain line each on standard
 * error, so that the records on standard output stay alone.
 */
export function createNoteLogger(note: (text: string) => void): Logger {
  return createLogger('info', (line) => {
    const { msg } = JSON.parse(line) as { readonly msg: string }
    note(msg)
  })
}
