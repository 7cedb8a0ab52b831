/** All cases of the fake server: of each byte where `fake-server.server.test.ts` takes some. */
import { makeServerKeys } from '@tributary/testkit'
import { test } from 'node:test'
import { answerCases, endlessCases } from './fake-server/answer-cases.ts'
import { dumpCases, dumpCuts } from './fake-server/dump-cases.ts'
import { greetingCases } from './fake-server/greeting-cases.ts'
import { loginCases } from './fake-server/login-cases.ts'
import { snapshotCases } from './fake-server/snapshot-cases.ts'
import { conversations, testMatrix } from './fake-server/test-matrix.ts'

const both = Object.values(conversations)

test('greetings', async (context) => {
  await testMatrix(context, greetingCases())
})

test('logins', async (context) => {
  await testMatrix(context, loginCases(await makeServerKeys()))
})

test('answers to every statement of a check', async (context) => {
  await testMatrix(
    context,
    both.flatMap((each) => [...answerCases(each), ...endlessCases(each)]),
  )
})

test('dumps that end or stall after each fifth byte', async (context) => {
  await testMatrix(
    context,
    both.flatMap((each) => [...dumpCuts(each, 5)]),
  )
})

test('events with each byte of their structure changed', async (context) => {
  await testMatrix(
    context,
    both.flatMap((each) => [...dumpCases(each, 1)]),
  )
})

test('snapshots', async (context) => {
  await testMatrix(
    context,
    both.flatMap((each) => snapshotCases(each, 1)),
  )
})
