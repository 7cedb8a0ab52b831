import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { messagesModule } from '../testing/messages-module.ts'
import { messages } from './messages.table.ts'

test("the table of messages is what Kafka's client jar defines: else run scripts/generate-messages.ts", async () => {
  const module = await messagesModule()
  const start = module.indexOf('export const')
  const committed = readFileSync(new URL('messages.table.ts', import.meta.url), 'utf8')
  assert.equal(committed.slice(0, committed.indexOf('export const')), module.slice(0, start))
  const script = module.slice(start).replace(' as const', '')
  const expected = (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as {
    readonly messages: unknown
  }
  assert.deepEqual(messages, expected.messages)
})
