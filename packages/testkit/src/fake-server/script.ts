import type { Conversation } from './conversation.ts'
import type { FakeServerOptions } from './fake-server.ts'

/** The server of a recording: its answers, and its binlog, with all changes from the start. */
export function scriptOf(
  { flavor, greeting, answers, binlog }: Conversation,
  isLateFromStart: boolean,
): Pick<FakeServerOptions, 'answer' | 'binlog' | 'greeting'> {
  const bytes = new Map(
    Object.entries(answers).map(([sql, all]) => [sql, all.map((text) => Buffer.from(text, 'base64'))]),
  )
  return {
    // The position of the binlog changes: the first answer precedes the changes, the last one follows them.
    answer: (sql, isLate) => bytes.get(sql)?.at(isLate || isLateFromStart ? -1 : 0) ?? null,
    binlog: { flavor, file: binlog.file, events: binlog.events.map((text) => Buffer.from(text, 'base64')) },
    greeting: { recorded: Buffer.from(greeting, 'base64') },
  }
}
