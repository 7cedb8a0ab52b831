import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { CodedError, doneOr } from '@tributary/support'
import { eventually, fakeClock, type FakeClock } from '@tributary/testkit'
import { cliErrors } from '../errors.ts'
import { TopicFollower } from './topic-follower.ts'

const RECORD = { topic: 'shop.shop.pets', value: null } as unknown as LogRecord

/** A cluster with one topic. */
class OneTopic {
  readonly closed: number[] = []
  /** The answers of the readers, in the order in which these are opened; each then waits for more records. */
  readonly polls: (readonly LogRecord[] | Error)[]
  listError: Error | null = null
  #opened = 0

  constructor(polls: (readonly LogRecord[] | Error)[]) {
    this.polls = polls
  }

  follow(clock: FakeClock): Promise<TopicFollower> {
    const listTopics = (): Promise<readonly string[]> =>
      this.listError === null ? Promise.resolve([RECORD.topic]) : Promise.reject(this.listError)
    const kafka = {
      admin: () => ({ listTopics, [Symbol.asyncDispose]: () => Promise.resolve() }),
      reader: () => Promise.resolve(this.#open()),
    } as unknown as Kafka
    const { signal } = new AbortController()
    return TopicFollower.open({ kafka, isFollowed: () => true, onTooMany: () => assert.fail(), clock, signal })
  }

  #open(): TopicReader {
    const number = this.#opened++
    const poll = (signal: AbortSignal): Promise<readonly LogRecord[]> => {
      const answer = this.polls.shift() ?? null
      if (answer instanceof Error) return Promise.reject(answer)
      return answer === null ? doneOr(new Promise(() => undefined), signal) : Promise.resolve(answer)
    }
    const close = (): Promise<void> => {
      this.closed.push(number)
      return Promise.resolve()
    }
    return { poll, close } as unknown as TopicReader
  }
}

test('a failure while records are gathered is that of the call', async () => {
  const clock = fakeClock()
  const cluster = new OneTopic([[RECORD]])
  await using follower = await cluster.follow(clock)
  await clock.advance(198)
  cluster.listError = cliErrors.DEV_BROKER_FAILED({ reason: 'its thread has ended' })
  const failing = assert.rejects(follower.next(), /its thread has ended/)
  await clock.untilPending(2)
  await clock.advance(5)
  await failing
  await assert.rejects(follower.next(), /its thread has ended/)
})

test('the reader of a deleted topic is closed, and a new topic of that name is read', async () => {
  const clock = fakeClock()
  const cluster = new OneTopic([
    new CodedError('UNKNOWN_TOPIC', { message: 'no such topic', action: '' }, {}),
    [RECORD],
  ])
  await using follower = await cluster.follow(clock)
  await eventually('the first reader is closed', () => cluster.closed.length > 0)
  assert.deepEqual(cluster.closed, [0])
  await clock.advance(200)
  const next = follower.next()
  await clock.untilPending(2)
  await clock.advance(5)
  assert.deepEqual([...(await next)], [[RECORD.topic, [RECORD]]])
})
