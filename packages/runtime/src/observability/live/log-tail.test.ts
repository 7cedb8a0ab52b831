import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@tributary/support'
import { LogTail } from './log-tail.ts'

test('the tail has the last lines as JSON, and sends each new one', () => {
  const tail = new LogTail()
  const logger = createLogger('info', (line) => tail.add(line))
  logger.info('before', { table: 'a"<b>' })
  const received: unknown[] = []
  const unlisten = tail.listen((json) => received.push(JSON.parse(json)))
  logger.warn('after')
  unlisten()
  logger.info('nobody listens')
  const { tag, lines } = JSON.parse(tail.start()) as { tag: string; lines: { msg: string; table?: string }[] }
  assert.deepEqual([tag, lines.map(({ msg }) => msg)], ['start', ['before', 'after', 'nobody listens']])
  assert.equal(lines[0]?.table, 'a"<b>')
  assert.deepEqual(
    received.map((message) => (message as { line: { msg: string } }).line.msg),
    ['after'],
  )
})

test('the tail keeps a bounded number of lines and characters', () => {
  const tail = new LogTail()
  const linesOf = (): string[] =>
    (JSON.parse(tail.start()) as { lines: { msg: string }[] }).lines.map(({ msg }) => msg.slice(0, 8))
  for (let i = 0; i < 3_000; i += 1) tail.add(`{"msg":"${i}"}\n`)
  assert.deepEqual([linesOf().length, linesOf()[0], linesOf().at(-1)], [2_000, '1000', '2999'])
  for (let i = 0; i < 30; i += 1) tail.add(JSON.stringify({ msg: `${i}`.padEnd(100_000) }))
  assert.ok(tail.start().length < 2.2 * 2 ** 20)
  assert.equal(linesOf().at(-1)?.trim(), '29')
})
