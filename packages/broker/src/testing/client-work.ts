import assert from 'node:assert/strict'
import { present } from '@tributary/support'
import { runProgram, uniqueName, useRealKafka, type ProgramResult } from '@tributary/testkit'
import { startBroker } from '../shell/start-broker.ts'

/** What a client does with the broker at `server` (`host:port`), and what it observes. Its names begin with `prefix`. */
export type ClientWork = (server: string, prefix: string) => Promise<readonly string[]>

/** Lets a client do the same work on Kafka and on the broker; it must observe the same. */
export async function assertSameOnBoth(work: ClientWork): Promise<void> {
  await using broker = await startBroker()
  const kafka = present((await useRealKafka()).bootstrapServers[0], 'the address of Kafka')
  const prefix = `${uniqueName('work')}-`
  const [expected, actual] = await Promise.all([work(kafka, prefix), work(broker.bootstrapServers, prefix)])
  assert.ok(expected.length > 1, 'the client observes something')
  assert.deepEqual(actual, expected)
}

/** Runs a program that has to succeed; returns the lines of its standard output. */
export async function linesOf(result: Promise<ProgramResult>): Promise<readonly string[]> {
  const { code, stdout, stderr } = await result
  assert.equal(code, 0, `${stdout}\n${stderr}`)
  return stdout.trimEnd().split('\n')
}

/** The lines of a program of the folder `clients`. */
export function programLines(
  program: string,
  args: readonly string[],
  cwd: string = CLIENTS_FOLDER,
): Promise<readonly string[]> {
  return linesOf(runProgram(program, args, { cwd, purpose: 'the tests of the broker with other clients' }))
}

/** The folder of the programs that work with a broker. */
export const CLIENTS_FOLDER: string = new URL('../../clients', import.meta.url).pathname
