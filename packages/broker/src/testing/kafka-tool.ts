import assert from 'node:assert/strict'
import { runKafkaTool } from '@tributary/testkit'

/** Runs a tool of Kafka, which must succeed; returns its output. */
export async function kafkaTool(name: string, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await runKafkaTool(name, args, input === undefined ? {} : { input })
  assert.equal(code, 0, stderr)
  return stdout
}
