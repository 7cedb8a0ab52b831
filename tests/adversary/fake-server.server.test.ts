/**
 * A server that breaks the protocol, at each entry of the connector. Each case ends in a clear error, or in a retry with
 * a logged reason, within its time; no event is wrong, and no text of a library reaches the user. The full tier runs all
 * cases, this file at least one of each kind.
 */
import { StoppedError } from '@tributary/support'
import { cutAt, eventually, fullTest, isAnswerTo, makeServerKeys, scriptOf, startFakeServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerCases, endlessCases } from './fake-server/answer-cases.ts'
import { dumpCases, dumpCuts, endlessDumps } from './fake-server/dump-cases.ts'
import type { FaultCase } from './fake-server/fault-case.ts'
import { greetingCases } from './fake-server/greeting-cases.ts'
import { loginCases } from './fake-server/login-cases.ts'
import { ObservedTask } from './fake-server/observed-task.ts'
import { quickClock } from './fake-server/quick-clock.ts'
import { snapshotCases } from './fake-server/snapshot-cases.ts'
import { conversations, newHistory, testMatrix } from './fake-server/test-matrix.ts'

const both = Object.values(conversations)

/** Every so many of them, and the first of each kind. */
function some(cases: readonly FaultCase[], every: number): readonly FaultCase[] {
  const kinds = new Set<string>()
  return cases.filter(({ kind }, i) => {
    const isFirst = !kinds.has(kind)
    kinds.add(kind)
    return isFirst || i % every === 0
  })
}

test('a program that is no server, and a greeting that is wrong anywhere', async (context) => {
  await testMatrix(context, some(greetingCases(), 27))
})

fullTest('a login that is wrong anywhere', async (context) => {
  await testMatrix(context, some(loginCases(await makeServerKeys()), 9))
})

fullTest('an answer that is wrong, to the statements of a check', async (context) => {
  await testMatrix(context, [
    ...both.flatMap((each) => some([...answerCases(each)], 51)),
    ...endlessCases(conversations.mysql),
  ])
})

test('a server that falls silent at any statement of a check', async (context) => {
  const isSilent = ({ name }: FaultCase): boolean => name.endsWith('no byte, then silent')
  await testMatrix(
    context,
    both.flatMap((each) => some([...answerCases(each)].filter(isSilent), 4)),
  )
})

test('a dump that ends or stalls after any byte is continued, and no change is lost or repeated', async (context) => {
  await testMatrix(
    context,
    both.flatMap((each) => [...dumpCuts(each, 933)]),
  )
})

test('events that no server writes', async (context) => {
  await testMatrix(
    context,
    both.flatMap((each) => [...some([...dumpCases(each, 3)], 174), ...endlessDumps(each)]),
  )
})

test('a snapshot that is interrupted, or whose rows are not what was requested', async (context) => {
  await testMatrix(
    context,
    both.flatMap((each) => some(snapshotCases(each), 21)),
  )
})

test('rows of a snapshot that do not arrive are logged each minute', async () => {
  const conversation = conversations.mysql
  const fault = { matches: isAnswerTo(/^SELECT `id`/), bend: cutAt(40, 'stall') }
  await using server = await startFakeServer({ ...scriptOf(conversation, false), faults: [fault] })
  const address = { 'database.hostname': server.host, 'database.port': String(server.port) }
  const config = { ...conversation.config, ...address, ...(await newHistory()) }
  await using task = new ObservedTask({ flavor: 'mysql', config, stored: null, clock: quickClock(200) })
  const stop = new AbortController()
  const polling = task.until(() => false, stop.signal)
  await eventually('two minutes are logged', () => task.logger.matching('has sent nothing for 2 min').length === 1)
  stop.abort()
  await assert.rejects(polling, StoppedError)
  const [first = null] = task.logger.matching('The snapshot waits')
  const place = `127.0.0.1:${server.port} has sent nothing for 1 min`
  assert.match(first?.message ?? '', /^The snapshot waits while reading the rows of fake.t: the database at /)
  assert.ok(first?.message.includes(place), first?.message)
})
