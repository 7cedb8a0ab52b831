import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventReaders, type EventReadersOptions, type EventsRequest } from './event-readers.ts'

/** A thread that does nothing and stays. */
const THREAD = new URL('data:text/javascript,setInterval(() => {}, 1000)')
const REQUEST: EventsRequest = { connector: 'shop', topic: 'shop.orders', scanLength: 100, filter: '' }

function readersOf(more: Partial<EventReadersOptions> = {}): EventReaders {
  return new EventReaders({
    threadUrl: THREAD,
    workerProperties: {},
    internalTopics: new Set(['configs']),
    configOf: (connector) => (connector === 'shop' ? {} : null),
    topicsOf: () => ['shop.orders', 'configs'],
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
  assert.equal(statusOf(readers, { connector: 'none' }), 404)
  assert.equal(statusOf(readers, { scanLength: 1_000_000 }), 400)
  assert.equal(statusOf(readers, { scanLength: Number.NaN }), 400)
  assert.equal(statusOf(readers, { filter: 'x'.repeat(1_001) }), 400)
  assert.equal(statusOf(readersOf({ topicsOf: () => null }), {}), 403)
})

test('four read at once, and the place of one that leaves is free', async () => {
  await using readers = readersOf()
  const leave = Array.from({ length: 4 }, () => {
    const opened = readers.open(REQUEST)
    assert.ok('listen' in opened)
    return opened.listen(() => undefined)
  })
  assert.equal(statusOf(readers, {}), 503)
  leave[0]?.()
  assert.equal(statusOf(readers, {}), 200)
})
