import { createLogger } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatLogLine } from './log-format.ts'

const FORGED = 'x\n2026-11-24 10:00:00,000 ERROR  ||  the disk is full\r\u001B[2J\u009B1;31m\u202Etxt'
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u

/** Logs a text from a server in each place that a line has. */
function logged(): readonly string[] {
  const lines: string[] = []
  const logger = createLogger('info', (line) => lines.push(line))
  const error = new Error(FORGED, { cause: new Error(FORGED) })
  logger.child({ connectorName: FORGED, table: FORGED }).info(FORGED, { error, [FORGED]: FORGED, list: [FORGED] })
  return lines
}

test('a text entry has one line that begins with a time, and no text of a server reaches the terminal as a control', () => {
  const [text = ''] = logged().map(formatLogLine)
  const starts = text.split('\n').filter((line) => /^\S/.test(line))
  assert.equal(starts.length, 1, text)
  assert.match(starts[0] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} INFO {3}\|x$/)
  assert.doesNotMatch(text.replaceAll('\n', ''), UNSAFE)
  assert.ok(text.includes(String.raw`\u001b[2J\u009b1;31m\u202etxt`), text)
})

test('a JSON entry is one line of visible characters with the same texts', () => {
  const [line = ''] = logged()
  assert.doesNotMatch(line.slice(0, -1), UNSAFE)
  const document = JSON.parse(line) as Readonly<Record<string, unknown>>
  assert.equal(document['msg'], FORGED)
  assert.deepEqual(document['list'], [FORGED])
})
