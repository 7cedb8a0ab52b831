import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonError } from './json/json-error.ts'
import { readConfigPatch, readConnectorConfig, readRegistration } from './registration.ts'
import { MemoryHerder } from './testing/memory-herder.ts'
import { bytesOf, readRecordedBodies } from './testing/recorded-bodies.ts'
import { HerderError } from '../herder/herder-error.ts'
import { RequestError } from './request-error.ts'
import { toRequestError } from './rest-errors.ts'

test('refuses each recorded body with the message of Kafka Connect 4.3.1, or its own replacement', async () => {
  const { recorded } = readRecordedBodies()
  assert.ok(recorded.length > 400)
  const herder = new MemoryHerder()
  const differing: object[] = []
  for (const body of recorded) {
    const actual = await register(herder, bytesOf(body))
    if (!isAlike(actual, body.ownMessage ?? body.message)) differing.push({ ...body, actual })
  }
  assert.deepEqual(differing, [])
})

test('a password that a reader saw as [hidden] is not stored', () => {
  const config = { 'database.password': '[hidden]', 'table.include.list': '[hidden]' }
  const message = /^database\.password has the value \[hidden\].*Set its real value$/
  const bytes = (document: unknown): Buffer => Buffer.from(JSON.stringify(document))
  assert.throws(() => readRegistration(bytes({ name: 'a', config })), { status: 400, message })
  assert.throws(() => readConnectorConfig(bytes(config), 'a'), { status: 400, message })
  assert.throws(() => readConfigPatch(bytes(config)), { status: 400, message })
  assert.deepEqual(readConfigPatch(bytes({ 'database.password': null, 'table.include.list': '[hidden]' })), {
    'database.password': null,
    'table.include.list': '[hidden]',
  })
})

/** The message with which a body is refused. All are refused, since none names a connector class. */
async function register(herder: MemoryHerder, body: Buffer): Promise<string> {
  try {
    await herder.createConnector(readRegistration(body))
    return 'registered'
  } catch (error) {
    if (error instanceof HerderError) return toRequestError(error).message
    assert.ok(error instanceof RequestError || error instanceof JsonError)
    return error.message
  }
}

/** Kafka Connect shows an accepted configuration in the order of a Java hash map. */
function isAlike(actual: string, expected: string): boolean {
  const entries = (message: string): readonly string[] | undefined =>
    /^Connector config \{(.*)\} contains no connector type$/s.exec(message)?.[1]?.split(', ').toSorted()
  const [actualEntries, expectedEntries] = [entries(actual), entries(expected)]
  if (actualEntries === undefined || expectedEntries === undefined) return actual === expected
  return JSON.stringify(actualEntries) === JSON.stringify(expectedEntries)
}
