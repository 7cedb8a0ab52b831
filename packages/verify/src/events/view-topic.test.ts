import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { kafkaErrors, type Kafka, type LogRecord, type TopicReader, type TopicReaderOptions } from '@tributary/kafka'
import type { EventsMessage } from '@tributary/rest-api'
import { StoppedError } from '@tributary/support'
import { fakeClock, type FakeClock } from '@tributary/testkit'
import { viewTopic, type ViewTopicOptions } from './view-topic.ts'

/** A topic in memory. Time passes when nothing is left to read. */
class MemoryTopic {
  readonly clock: FakeClock = fakeClock()
  readonly logs: LogRecord[][] = []
  readonly starts: bigint[] = []
  /** Records of one poll. */
  batchLength = 100
  /** Time that a poll takes. */
  pollMs = 0
  isSilent = false
  onIdle: (polls: number) => void = () => undefined
  #idlePolls = 0

  add(partition: number, value: Buffer | string, key = 'k'): void {
    const log = (this.logs[partition] ??= [])
    this.starts[partition] ??= 0n
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value)
    const offset = BigInt(log.length)
    log.push({
      topic: 't',
      partition,
      offset,
      timestamp: log.length,
      key: Buffer.from(key),
      value: bytes,
      headers: [],
    })
  }

  get kafka(): Kafka {
    const reader = (options: TopicReaderOptions): Promise<TopicReader> => Promise.resolve(this.#reader(options))
    return { reader } as unknown as Kafka
  }

  #reader({ from }: TopicReaderOptions): TopicReader {
    const partitions = this.logs.map((_, partition) => partition)
    const ofMap = (partition: number): bigint | undefined =>
      typeof from === 'object' ? from.get(partition) : undefined
    const positions = new Map(
      partitions.map((partition) => [partition, ofMap(partition) ?? this.starts[partition] ?? 0n]),
    )
    return {
      topic: 't',
      partitions,
      position: (partition) => positions.get(partition) ?? 0n,
      endOffsets: (signal) => this.#ends(signal),
      poll: (signal) => this.#poll(positions, signal),
      readToEnd: () => Promise.reject(new Error('not used')),
      close: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  }

  async #ends(signal?: AbortSignal): Promise<ReadonlyMap<number, bigint>> {
    if (this.isSilent) {
      await this.clock.advance(60_000)
      if (signal?.aborted === true) throw new StoppedError()
    }
    return new Map(this.logs.map((log, partition) => [partition, BigInt(log.length)]))
  }

  async #poll(positions: Map<number, bigint>, signal?: AbortSignal): Promise<readonly LogRecord[]> {
    if (this.pollMs > 0) await this.clock.advance(this.pollMs)
    for (const [partition, offset] of positions) {
      const start = this.starts[partition] ?? 0n
      const end = BigInt(this.logs[partition]?.length ?? 0)
      if (offset < start) throw kafkaErrors.OFFSET_OUT_OF_RANGE({ topic: 't', partition, offset, start, end })
      const records = this.logs[partition]?.slice(Number(offset), Number(offset) + this.batchLength) ?? []
      if (records.length === 0) continue
      positions.set(partition, offset + BigInt(records.length))
      return records
    }
    this.onIdle((this.#idlePolls += 1))
    await this.clock.advance(500)
    if (signal?.aborted === true) throw new StoppedError()
    return []
  }
}

const JSON_CONVERTER = { className: 'JsonConverter', options: { 'schemas.enable': 'false' } }

async function view(topic: MemoryTopic, more: Partial<ViewTopicOptions> = {}): Promise<readonly EventsMessage[]> {
  const messages: EventsMessage[] = []
  const options = {
    topic: 't',
    scanLength: 1_000,
    filter: '',
    converters: { key: JSON_CONVERTER, value: JSON_CONVERTER },
    unavailable: '__debezium_unavailable_value',
    kafka: topic.kafka,
    onMessage: (message: EventsMessage) => messages.push(message),
    clock: topic.clock,
    ...more,
  }
  await viewTopic(options, new AbortController().signal)
  return messages
}

/** `partition:offset` of the events before and after the message `caught up`. */
function placesOf(messages: readonly EventsMessage[]): { readonly last: string[]; readonly new: string[] } {
  const middle = messages.findIndex(({ tag }) => tag === 'caught up')
  const of = (part: readonly EventsMessage[]): string[] =>
    part.flatMap((message) =>
      message.tag === 'events' ? message.events.map(({ partition, offset }) => `${partition}:${offset}`) : [],
    )
  return { last: of(messages.slice(0, middle)), new: of(messages.slice(middle)) }
}

function reasonOf(messages: readonly EventsMessage[]): string | null | undefined {
  return messages.find((message) => message.tag === 'caught up')?.reason
}

test('the last records are read, and then new ones until the time is over', async () => {
  const topic = new MemoryTopic()
  for (let i = 0; i < 150; i += 1) topic.add(0, `{"n":${i}}`)
  topic.onIdle = (polls) => polls === 3 && topic.add(0, '{"n":150}')
  const startMs = topic.clock.monotonicMs()
  const messages = await view(topic, { scanLength: 100, filter: 'n>147' })
  assert.deepEqual(placesOf(messages), { last: ['0:148', '0:149'], new: ['0:150'] })
  assert.equal(reasonOf(messages), null)
  const counts = messages.flatMap((each) => (each.tag === 'events' ? [[each.scanned, each.matched]] : []))
  assert.deepEqual(counts, [
    [100, 2],
    [101, 3],
  ])
  assert.equal(topic.clock.monotonicMs() - startMs, 15 * 60_000)
})

test('of many matches the latest are sent, and how many there are', async () => {
  const topic = new MemoryTopic()
  for (let i = 0; i < 500; i += 1) for (const partition of [0, 1]) topic.add(partition, '{}')
  const messages = await view(topic)
  const { last } = placesOf(messages)
  assert.deepEqual([last.length, last[0], last.at(-1)], [200, '0:400', '1:499'])
  assert.equal(messages.find((each) => each.tag === 'events')?.matched, 1_000)
})

test('after too many bytes the newest records follow, and none is read twice', async () => {
  const topic = new MemoryTopic()
  topic.batchLength = 1
  const large = Buffer.alloc(8 * 2 ** 20, 0xff)
  topic.add(0, '{}')
  for (let i = 0; i < 20; i += 1) topic.add(1, large)
  const messages = await view(topic)
  const places = placesOf(messages)
  assert.equal(reasonOf(messages), '64 MiB were read before the newest records were reached: fewer of them are shown')
  assert.deepEqual([places.last.length, places.last.at(-1), places.new], [9, '1:7', ['1:19']])
})

test('a topic that is read slowly is left after some time, with that reason', async () => {
  const topic = new MemoryTopic()
  for (let i = 0; i < 1_000; i += 1) topic.add(0, '{}')
  topic.batchLength = 1
  topic.pollMs = 1_000
  assert.match(reasonOf(await view(topic)) ?? '', /^20 s had passed before the newest records were reached/)
})

test('more new records than a person reads are counted', async () => {
  const topic = new MemoryTopic()
  topic.add(0, '{}')
  topic.onIdle = (polls) => {
    if (polls === 2) for (let i = 0; i < 80; i += 1) topic.add(0, '{"n":1}')
  }
  const messages = await view(topic, { filter: 'n=1' })
  assert.equal(placesOf(messages).new.length, 50)
  assert.deepEqual(
    messages.filter(({ tag }) => tag === 'skipped'),
    [{ tag: 'skipped', count: 30 }],
  )
})

test('an event that is too large for a message is replaced by its place', async () => {
  const topic = new MemoryTopic()
  const row = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`c${i}`, '漢'.repeat(4_000)]))
  topic.add(0, JSON.stringify({ before: null, after: row, source: {}, op: 'c' }))
  const [first] = await view(topic)
  assert.ok(first?.tag === 'events')
  const [event] = first.events
  assert.deepEqual([event?.offset, event?.fields], ['0', []])
  assert.match(
    event?.note ?? '',
    /^The record is too large for the page \(\d{7} bytes of JSON\): only its place is shown\.$/,
  )
})

test('records that retention removes while they are read are left out', async () => {
  const topic = new MemoryTopic()
  for (let i = 0; i < 300; i += 1) topic.add(0, '{}')
  topic.batchLength = 100
  let isFirst = true
  const kafka = topic.kafka
  const reader: Kafka['reader'] = async (options) => {
    const opened = await kafka.reader(options)
    if (options.from === undefined || !isFirst) return opened
    isFirst = false
    const poll = async (): Promise<readonly LogRecord[]> => {
      const records = await opened.poll()
      topic.starts[0] = 250n
      return records
    }
    return { ...opened, poll }
  }
  const messages = await view(topic, { kafka: { reader } as unknown as Kafka })
  const { last } = placesOf(messages)
  assert.deepEqual([last.length, last[99], last[100]], [150, '0:99', '0:250'])
})

test('brokers that no longer answer end the view', async () => {
  const topic = new MemoryTopic()
  topic.add(0, '{}')
  topic.onIdle = () => (topic.isSilent = true)
  await assert.rejects(view(topic), { code: 'VERIFY_BROKERS_SILENT', message: /No broker has answered for 20 s/ })
})

test('a schema that the registry does not know hides only its records, and is asked for once in a while', async () => {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const isKnown = url.startsWith('/schemas/ids/1')
    response.writeHead(isKnown ? 200 : 404, { 'Content-Type': 'application/json' })
    response.end(isKnown ? '{"schema":"\\"int\\""}' : '{"error_code":40403,"message":"Schema 9 not found"}')
  }).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const avro = { className: 'AvroConverter', options: { 'schema.registry.url': `http://127.0.0.1:${port}` } }
    const topic = new MemoryTopic()
    // Magic byte, id of the schema in four bytes, and 21 as a zigzag integer.
    topic.add(0, Buffer.from([0, 0, 0, 0, 9, 42]))
    topic.add(0, Buffer.from([0, 0, 0, 0, 1, 42]))
    topic.onIdle = (polls) => polls < 5 && topic.add(0, Buffer.from([0, 0, 0, 0, 9, 42]))
    const [first] = await view(topic, { converters: { key: JSON_CONVERTER, value: avro } })
    assert.ok(first?.tag === 'events')
    assert.deepEqual(
      first.events.map(({ value }) => value),
      ['00000000092a', '21'],
    )
    assert.match(first.events[0]?.note ?? '', /^The schema of the value cannot be read: .*; its bytes are shown\.$/)
    assert.deepEqual(asked.filter((url) => url.startsWith('/schemas/ids/9')).length, 1)
  } finally {
    server.close()
  }
})
