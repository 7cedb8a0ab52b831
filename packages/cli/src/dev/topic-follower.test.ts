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
  readonly name: string
  closed = 0
  /** What each look waits for. */
  gate: Promise<void> = Promise.resolve()
  readonly #positions: readonly number[]
  readonly #arrived: (readonly LogRecord[])[] = []
  #written = 0
  #wake = Promise.withResolvers<void>()
  #isDeleted = false

  constructor(name: string, positions: readonly number[]) {
    this.name = name
    this.#positions = positions
  }

  write(count: number): void {
    this.#written += count
  }

  /** The response with these records. */
  arrive(first: number, count: number): void {
    const positions = this.#positions.slice(first, first + count)
    this.#arrived.push(positions.map((position, i) => record(this.name, first + i, position)))
    this.#wake.resolve()
  }

  /** Deletes it and creates it again, before anybody can look. */
  recreate(): void {
    this.#written = 0
  }

  delete(): void {
    this.#isDeleted = true
    this.#wake.resolve()
  }

  reader(): TopicReader {
    let position = 0n
    const poll = async (signal: AbortSignal): Promise<readonly LogRecord[]> => {
      for (;;) {
        const records = this.#arrived.shift()
        position = (records?.at(-1)?.offset ?? position - 1n) + 1n
        if (records !== undefined) return records
        if (this.#isDeleted) throw UNKNOWN_TOPIC
        if (position > this.#written) throw OUT_OF_RANGE
        this.#wake = Promise.withResolvers()
        await doneOr(this.#wake.promise, signal)
      }
    }
    /** The end of a deleted topic is asked for without end. */
    const endOffsets = async (signal: AbortSignal): Promise<ReadonlyMap<number, bigint>> => {
      const ends = new Map([[0, BigInt(this.#written)]])
      await doneOr(this.#isDeleted ? new Promise(() => undefined) : this.gate, signal)
      return ends
    }
    const close = (): Promise<void> => {
      this.closed += 1
      return Promise.resolve()
    }
    return { poll, close, endOffsets, position: () => position } as unknown as TopicReader
  }
}

const UNKNOWN_TOPIC = new CodedError('UNKNOWN_TOPIC', { message: 'no such topic', action: '' }, {})
const OUT_OF_RANGE = new CodedError('OFFSET_OUT_OF_RANGE', { message: 'no such offset', action: '' }, {})

class Topics {
  listError: Error | null = null
  readonly byName = new Map<string, Topic>()
  /** Listed, and deleted before they can be opened. */
  readonly vanishing: string[] = []

  follow(clock: FakeClock): Promise<TopicFollower> {
    const listTopics = (): Promise<readonly string[]> =>
      this.listError === null
        ? Promise.resolve([...this.byName.keys(), ...this.vanishing])
        : Promise.reject(this.listError)
    const reader = ({ topic }: { readonly topic: string }): Promise<TopicReader> => {
      const found = this.byName.get(topic)
      return found === undefined ? Promise.reject(UNKNOWN_TOPIC) : Promise.resolve(found.reader())
    }
    const admin = (): unknown => ({ listTopics, [Symbol.asyncDispose]: () => Promise.resolve() })
    const kafka = { admin, reader } as unknown as Kafka
    const { signal } = new AbortController()
    return TopicFollower.open({ kafka, isFollowed: () => true, onTooMany: () => assert.fail(), clock, signal })
  }

  add(name: string, positions: readonly number[]): Topic {
    const topic = new Topic(name, positions)
    this.byName.set(name, topic)
    return topic
  }

  delete(topic: Topic): void {
    this.byName.delete(topic.name)
    topic.delete()
  }
}

/** Where they are in the binlog. */
function positionsOf(records: readonly LogRecord[]): readonly number[] {
  return records.map(({ value }) => Number(/"pos":(\d+)/.exec(String(value))?.[1]))
}

/** Everything that can happen now has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function waits(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  void promise.finally(() => (isSettled = true))
  await settled()
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

test('a record that arrives after the look waits for another look', async () => {
  const topics = new Topics()
  const [pets, toys] = [topics.add(PETS, [10, 20]), topics.add(TOYS, [30])]
  await using follower = await topics.follow(fakeClock())
  const looking = Promise.withResolvers<void>()
  toys.gate = looking.promise
  const next = follower.next()
  pets.write(1)
  pets.arrive(0, 1)
  assert.equal(await waits(next), true)
  // After the look at one topic, both are written to.
  pets.write(1)
  toys.write(1)
  toys.arrive(0, 1)
  await settled()
  looking.resolve()
  assert.deepEqual(positionsOf(await next), [10])
  const second = follower.next()
  assert.equal(await waits(second), true)
  pets.arrive(1, 1)
  assert.deepEqual(positionsOf(await second), [20, 30])
})

test('of a topic with many records only the next ones are held; those of other topics wait for their turn', async () => {
  const topics = new Topics()
  const [pets, toys] = [topics.add(PETS, [10, 20, 40]), topics.add(TOYS, [30, 50])]
  await using follower = await topics.follow(fakeClock())
  pets.write(3)
  toys.write(2)
  toys.arrive(0, 2)
  pets.arrive(0, 2)
  await settled()
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
  topics.delete(pets)
  assert.deepEqual(positionsOf(await next), [20])
  await eventually('the reader is closed', () => pets.closed > 0)
  const again = topics.add(PETS, [30])
  again.write(1)
  again.arrive(0, 1)
  const second = follower.next()
  await clock.advance(200)
  assert.deepEqual(positionsOf(await second), [30])
})

test('the records of a topic that is deleted while they are held are returned', async () => {
  const topics = new Topics()
  const [pets, toys] = [topics.add(PETS, [10, 20]), topics.add(TOYS, [30])]
  await using follower = await topics.follow(fakeClock())
  pets.write(2)
  pets.arrive(0, 2)
  await settled()
  topics.delete(pets)
  toys.write(1)
  toys.arrive(0, 1)
  await settled()
  assert.deepEqual(positionsOf(await follower.next()), [10, 20, 30])
})

test('the records of a topic that is deleted and created again while they are held are returned, then the new ones', async () => {
  const clock = fakeClock()
  const topics = new Topics()
  const pets = topics.add(PETS, [10, 20])
  await using follower = await topics.follow(clock)
  pets.write(2)
  pets.arrive(0, 2)
  await settled()
  pets.recreate()
  pets.write(1)
  assert.deepEqual(positionsOf(await follower.next()), [10, 20])
  await eventually('the reader is closed', () => pets.closed > 0)
  const next = follower.next()
  await clock.advance(200)
  pets.arrive(0, 1)
  assert.deepEqual(positionsOf(await next), [10])
})

test('a topic that is deleted before it can be opened is skipped', async () => {
  const topics = new Topics()
  const pets = topics.add(PETS, [10])
  await using follower = await topics.follow(fakeClock())
  topics.vanishing.push(TOYS)
  pets.write(1)
  pets.arrive(0, 1)
  assert.deepEqual(positionsOf(await follower.next()), [10])
})
