import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@tributary/testkit'
import { EventReaders, type EventReadersOptions, type EventsRequest } from './event-readers.ts'

/** A thread that does nothing and stays. */
const THREAD = new URL('data:text/javascript,setInterval(() => {}, 1000)')
const REQUEST: EventsRequest = { connector: 'shop', topic: 'shop.orders', scanLength: 100, filter: '' }

function readersOf(more: Partial<EventReadersOptions> = {}): EventReaders {
  return new EventReaders({
    threadUrl: THREAD,
    workerProperties: {},
    internalTopics: new Set(['configs']),
    allowedTopics: [],
    configOf: (connector) => (connector === 'shop' ? { 'topic.prefix': 'shop' } : null),
    topicsOf: () => ['shop.orders', 'configs', 'other-configs'],
    ...more,
  })
}

function statusOf(readers: EventReaders, more: Partial<EventsRequest>): number {
  const opened = readers.open({ ...REQUEST, ...more })
  return 'status' in opened ? opened.status : 200
}

test('only topics that the connector has written to are read, and none of the worker’s own', () => {
  const readers = readersOf()
  assert.equal(statusOf(readers, {}), 200)
  assert.equal(statusOf(readers, { topic: 'other' }), 404)
  assert.equal(statusOf(readers, { topic: 'configs' }), 404)
  assert.equal(statusOf(readers, { topic: 'other-configs' }), 403)
  assert.equal(statusOf(readersOf({ allowedTopics: ['other-*'] }), { topic: 'other-configs' }), 200)
  assert.equal(statusOf(readers, { connector: 'none' }), 404)
  assert.equal(statusOf(readers, { scanLength: 1_000_000 }), 400)
  assert.equal(statusOf(readers, { scanLength: Number.NaN }), 400)
  assert.equal(statusOf(readers, { filter: 'x'.repeat(1_001) }), 400)
  assert.equal(statusOf(readersOf({ topicsOf: () => null }), {}), 403)
})

interface Opened {
  readonly messages: string[]
  readonly leave: () => void
  hasEnded: boolean
}

function open(readers: EventReaders): Opened {
  const source = readers.open(REQUEST)
  assert.ok('listen' in source)
  const messages: string[] = []
  const listen = (): (() => void) =>
    source.listen(
      (json) => messages.push(json),
      () => (opened.hasEnded = true),
    )
  const opened: Opened = { messages, hasEnded: false, leave: () => leave() }
  const leave = listen()
  return opened
}

function threadOf(code: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}

test('four read at once, and the place of one that leaves is free when its thread has ended', async () => {
  await using readers = readersOf()
  const opened = Array.from({ length: 4 }, () => open(readers))
  assert.equal(statusOf(readers, {}), 503)
  opened[0]?.leave()
  // Its memory is still in use.
  assert.equal(statusOf(readers, {}), 503)
  await eventually('a place is free', () => statusOf(readers, {}) === 200)
  assert.deepEqual([opened[0]?.messages, opened[0]?.hasEnded], [[], false])
})

test('the place of a reader that is at its end is free, although the page stays', async () => {
  const report = { tag: 'events', json: '{"tag":"end","error":null}', isEnd: true }
  const threadUrl = threadOf(
    `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => parentPort.postMessage(${JSON.stringify(report)}))`,
  )
  await using readers = readersOf({ threadUrl })
  const opened = Array.from({ length: 4 }, () => open(readers))
  await eventually('all have ended', () => opened.every(({ hasEnded }) => hasEnded))
  await eventually('a place is free', () => statusOf(readers, {}) === 200)
  assert.deepEqual(opened[0]?.messages, [report.json])
})

for (const [what, threadUrl, message] of [
  ['ends without a word', threadOf('process.exit(3)'), /stopped unexpectedly \(exit code 3\)/],
  ['fails', threadOf('throw new Error("out of order")'), /out of order/],
  ['cannot be started', new URL('http://localhost/'), /No reader of the topic can be started/],
] as const) {
  test(`a reader that ${what} is an end with its reason`, async () => {
    await using readers = readersOf({ threadUrl })
    const opened = open(readers)
    await eventually('it has ended', () => opened.hasEnded)
    assert.equal(opened.messages.length, 1)
    assert.match(opened.messages[0] ?? '', message)
  })
}
