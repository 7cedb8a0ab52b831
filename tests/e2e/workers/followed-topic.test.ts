import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byStart, doubleWriters } from './followed-topic.ts'

const written = (text: string): { id: number; run: string }[] =>
  text.split(' ').map((each) => ({ id: Number(each.slice(0, -1)), run: each.slice(-1) }))

test('a process that takes over, also again and with repeats, is no double writer', () => {
  for (const text of ['1a 2a 3b 4b', '1a 2a 3b 4b 5a', '1a 2a 1b 2b 3b', '1a 2a 3a 2a 3a'])
    assert.deepEqual(doubleWriters(written(text)), [], text)
})

test('a process that writes on while another one writes is one', () => {
  for (const text of ['1a 2a 3b 3a 4b 4a', '1a 2a 3b 4b 3a', '1a 2a 1b 2b 3b 3a'])
    assert.notDeepEqual(doubleWriters(written(text)), [], text)
})

test('a process whose task has started again is another writer', () => {
  const arrivals = written('1a 2a 3b 3a').map((each, i) => ({ ...each, arrivedMs: i * 10 }))
  assert.notDeepEqual(doubleWriters(byStart(arrivals, () => [0])), [])
  assert.deepEqual(doubleWriters(byStart(arrivals, (run) => (run === 'a' ? [0, 25] : [15]))), [])
  assert.notDeepEqual(doubleWriters(byStart(arrivals, (run) => (run === 'a' ? [0, 35] : [15]))), [])
})
