import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { RequestError } from '../herder/herder.ts'
import { JsonError } from './json/json-error.ts'
import { readRegistration } from './registration.ts'
import { MemoryHerder } from './testing/memory-herder.ts'
import type { RecordedBody } from './testing/record-json-bodies.ts'

const fixture = readFileSync(new URL('fixtures/json-bodies.json', import.meta.url), 'utf8')
const { recorded } = JSON.parse(fixture) as { recorded: readonly RecordedBody[] }

test('bodies are taken and refused as by Kafka Connect 4.3.1, with the same words', async () => {
  assert.ok(recorded.length > 400)
  const herder = new MemoryHerder()
  const differing: object[] = []
  for (const { text, hex, message } of recorded) {
    const body = hex === undefined ? Buffer.from(text ?? '') : Buffer.from(hex, 'hex')
    const actual = await register(herder, body)
    if (!isAlike(actual, message)) differing.push({ body: text ?? hex, message, actual })
  }
  assert.deepEqual(differing, [])
})

/** The message with which a body is refused: as none names a connector class, all are. */
async function register(herder: MemoryHerder, body: Buffer): Promise<string> {
  try {
    await herder.createConnector(readRegistration(body))
    return 'registered'
  } catch (error) {
    assert.ok(error instanceof RequestError || error instanceof JsonError)
    return error.message
  }
}

/** A configuration that was taken is shown in the order of a Java hash map. */
function isAlike(actual: string, expected: string): boolean {
  const entries = (message: string): readonly string[] | undefined =>
    /^Connector config \{(.*)\} contains no connector type$/s.exec(message)?.[1]?.split(', ').toSorted()
  const [actualEntries, expectedEntries] = [entries(actual), entries(expected)]
  if (actualEntries === undefined || expectedEntries === undefined) return actual === expected
  return JSON.stringify(actualEntries) === JSON.stringify(expectedEntries)
}
