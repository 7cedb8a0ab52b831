import { type Conversation, type Flavor, recordedConversation, uniqueName, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { FaultCase } from './fault-case.ts'
import { historyOf, historyProperties, prepareHistories } from './histories.ts'
import { runMatrix } from './run-matrix.ts'

/** The recordings of both servers. */
export const conversations: Readonly<Record<Flavor, Conversation>> = {
  mysql: recordedConversation('mysql'),
  mariadb: recordedConversation('mariadb'),
}

let shared: Promise<Record<string, string>> | undefined

/** The properties of a schema history that nothing has written. */
export async function newHistory(): Promise<Record<string, string>> {
  const { bootstrapServers } = await useKafka()
  return historyProperties(bootstrapServers, uniqueName('fake-history'))
}

/** Runs the cases; none may have a defect. Reports their number, crashes, hangs and the largest memory. */
export async function testMatrix(context: TestContext, cases: readonly FaultCase[]): Promise<void> {
  shared ??= useKafka().then(({ bootstrapServers }) => prepareHistories(Object.values(conversations), bootstrapServers))
  const histories = await shared
  const report = await runMatrix(cases, (each) => ({
    conversation: conversations[each.flavor],
    history: historyOf(each, histories),
  }))
  const { memory, hangs, crashes } = report
  context.diagnostic(`${cases.length} cases, ${crashes} crashes, ${hangs} hangs, ${memory.peak} MiB at most`)
  context.diagnostic(JSON.stringify(report.byKind))
  assert.deepEqual(report.defects, [])
  // Answers without end stop at 128 MiB, of which the process may have several copies at a time.
  assert.ok(memory.peak - memory.before < GROWTH_MAX, `the memory grew from ${memory.before} to ${memory.peak} MiB`)
}

/** MiB. */
const GROWTH_MAX = 1_000
