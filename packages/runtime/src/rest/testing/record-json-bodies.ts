import { isUtf8 } from 'node:buffer'
import { writeFileSync } from 'node:fs'
import { jsonBodies } from './json-bodies.ts'

/** What Kafka Connect said to a body. */
export interface RecordedBody {
  /** In UTF-8; where the body is no text, its bytes in hexadecimal digits as `hex`. */
  readonly text?: string
  readonly hex?: string
  readonly message: string
}

/**
 * Asks a real Kafka Connect and writes down what it says:
 *
 *     node packages/runtime/src/rest/testing/record-json-bodies.ts http://localhost:8083
 */
async function record(base: string): Promise<void> {
  const recorded: RecordedBody[] = []
  for (const body of jsonBodies) {
    const answer = await fetch(`${base}/connectors`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: Buffer.from(body),
    })
    const { message } = (await answer.json()) as { message: string }
    recorded.push({ ...describeBody(Buffer.from(body)), message })
  }
  const server = await (await fetch(base)).text()
  const text = JSON.stringify({ server: JSON.parse(server), recorded }, null, 2)
  writeFileSync(new URL('../fixtures/json-bodies.json', import.meta.url), `${text}\n`)
}

function describeBody(body: Buffer): { text: string } | { hex: string } {
  return isUtf8(body) ? { text: body.toString() } : { hex: body.toString('hex') }
}

if (import.meta.main) await record(process.argv[2] ?? 'http://localhost:8083')
