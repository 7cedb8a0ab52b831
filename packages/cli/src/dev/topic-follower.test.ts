import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { CodedError, doneOr } from '@tributary/support'
import { eventually, fakeClock, type FakeClock } from '@tributary/testkit'
import { cliErrors } from '../errors.ts'
import { TopicFollower } from './topic-follower.ts'

const PETS = 'shop.shop.pets'
const TOYS = 'shop.shop.toys'

function record(topic: string, offset: number, position: number): LogRecord {
  const value = `{"after":{},"source":{"file":"binlog.000001","pos":${position}}}`
  return { topic, partition: 0, offset: BigInt(offset), value: Buffer.from(value) } as unknown as LogRecord
}

/** A topic whose records are written at one time and arrive at another. */
class Topic {
  written = 0
  closed = 0
  readonly #name: string
  readonly #positions: readonly number[]
  readonly #arrived: (readonly LogRecord[])[] = []
  #wake = Promise.withResolvers<void>()
  #error: Error | null = null
  #isDeleted = false

  constructor(name: string, positions: readonly number[]) {
    this.#name = name
    this.#positions = positions
  }

  write(count: number): void {
    this.written += count
  }

  /** The response with these records. */
  arrive(first: number, count: number): void {
    const positions = this.#positions.slice(first, first + count)
    this.#arrived.push(positions.map((position, i) => record(this.#name, first + i, position)))
    this.#wake.resolve()
  }

  delete(): void {
    this.#error = new CodedError('UNKNOWN_TOPIC', { message: 'no such topic', action: '' }, {})
    this.#isDeleted = true
    this.#wake.resolve()
  }

  reader(): TopicReader {
    let position = 0n
    const poll = async (signal: AbortSignal): Promise<readonly LogRecord[]> => {
      for (;;) {
        const error = this.#error
        this.#error = null
        if (error !== null) throw error
        const records = this.#arrived.shift()
        position = (records?.at(-1)?.offset ?? position - 1n) + 1n
        if (records !== undefined) return records
        this.#wake = Promise.withResolvers()
        await doneOr(this.#wake.promise, signal)
      }
    }
    /** Nobody knows the end of a deleted topic: the real call retries until its signal fires. */
    const endOffsets = (signal: AbortSignal): Promise<ReadonlyMap<number, bigint>> => {
      const ends = new Map([[0, BigInt(this.written)]])
      return doneOr(this.#isDeleted ? new Promise(() => undefined) : Promise.resolve(ends), signal)
    }
    const close = (): Promise<void> => {
      this.closed += 1
      return Promise.resolve()
    }
    return { poll, close, endOffsets, position: () => position } as unknown as TopicReader
  }
}

class Topics {
  listError: Error | null = null
  readonly byName = new Map<string, Topic>()

  follow(clock: FakeClock): Promise<TopicFollower> {
    const listTopics = (): Promise<readonly string[]> =>
      this.listError === null ? Promise.resolve([...this.byName.keys()]) : Promise.reject(this.listError)
    const kafka = {
      admin: () => ({ listTopics, [Symbol.asyncDispose]: () => Promise.resolve() }),
      reader: ({ topic }: { readonly topic: string }) => Promise.resolve(this.byName.get(topic)?.reader()),
    } as unknown as Kafka
    const { signal } = new AbortController()
    return TopicFollower.open({ kafka, isFollowed: () => true, onTooMany: () => assert.fail(), clock, signal })
  }

  add(name: string, positions: readonly number[]): Topic {
    const topic = new Topic(name, positions)
    this.byName.set(name, topic)
    return topic
  }
}

/** Where they are in the binlog. */
function positionsOf(records: readonly LogRecord[]): readonly number[] {
  return records.map(({ value }) => Number(/"pos":(\d+)/.exec(String(value))?.[1]))
}

/** Whether it still waits when everything that can happen has happened. */
async function waits(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  void promise.finally(() => (isSettled = true))
  await new Promise((resolve) => setImmediate(resolve))
  return !isSettled
}

test('a record waits for those before it in other topics, however late these arrive', async () => {
  const topics = new Topics()
  const [pets, toys] = [topics.add(PETS, [10, 30, 40]), topics.add(TOYS, [20, 50])]
  await using follower = await topics.follow(fakeClock())
  const next = follower.next()
  pets.write(3)
  toys.write(1)
  pets.arrive(0, 3)
  assert.equal(await waits(next), true)
  toys.arrive(0, 1)
  assert.deepEqual(positionsOf(await next), [10, 20, 30, 40])
})

test('a record that was written after the look waits for the next one', async () => {
  const topics = new Topics()
  const [pets, toys] = [topics.add(PETS, [10, 40]), topics.add(TOYS, [20, 50])]
  await using follower = await topics.follow(fakeClock())
  const next = follower.next()
  pets.write(1)
  pets.arrive(0, 1)
  toys.write(1)
  assert.equal(await waits(next), true)
  // Written after the look, and nothing is known of the topic with the record before it.
  toys.write(1)
  toys.arrive(0, 2)
  assert.deepEqual(positionsOf(await next), [10, 20])
  const second = follower.next()
  pets.write(1)
  assert.equal(await waits(second), true)
  pets.arrive(1, 1)
  assert.deepEqual(positionsOf(await second), [40, 50])
})

test('of a topic with many records only the next ones are held; those of other topics wait for their turn', async () => {
  const topics = new Topics()
  const [pets, toys] = [topics.add(PETS, [10, 20, 40]), topics.add(TOYS, [30, 50])]
  await using follower = await topics.follow(fakeClock())
  pets.write(3)
  toys.write(2)
  toys.arrive(0, 2)
  pets.arrive(0, 2)
  assert.deepEqual(positionsOf(await follower.next()), [10, 20])
  const next = follower.next()
  assert.equal(await waits(next), true)
  pets.arrive(2, 1)
  assert.deepEqual(positionsOf(await next), [30, 40, 50])
})

test('a topic that was created for the first change of its table is read before later changes are returned', async () => {
  const topics = new Topics()
  const pets = topics.add(PETS, [20])
  await using follower = await topics.follow(fakeClock())
  const toys = topics.add(TOYS, [10])
  toys.write(1)
  toys.arrive(0, 1)
  pets.write(1)
  pets.arrive(0, 1)
  assert.deepEqual(positionsOf(await follower.next()), [10, 20])
})

test('a failure is that of the call, and of each further one', async () => {
  const clock = fakeClock()
  const topics = new Topics()
  await using follower = await topics.follow(clock)
  topics.listError = cliErrors.DEV_BROKER_FAILED({ reason: 'its thread has ended' })
  const failing = assert.rejects(follower.next(), /its thread has ended/)
  await clock.advance(200)
  await failing
  await assert.rejects(follower.next(), /its thread has ended/)
})

test('the reader of a deleted topic is closed, nobody waits for it, and a new topic of that name is read', async () => {
  const clock = fakeClock()
  const topics = new Topics()
  const [pets, toys] = [topics.add(PETS, [10]), topics.add(TOYS, [20])]
  await using follower = await topics.follow(clock)
  const next = follower.next()
  pets.write(1)
  toys.write(1)
  toys.arrive(0, 1)
  assert.equal(await waits(next), true)
  pets.delete()
  assert.deepEqual(positionsOf(await next), [20])
  await eventually('the reader is closed', () => pets.closed > 0)
  const again = topics.add(PETS, [30])
  again.write(1)
  again.arrive(0, 1)
  const second = follower.next()
  await clock.advance(200)
  assert.deepEqual(positionsOf(await second), [30])
})
