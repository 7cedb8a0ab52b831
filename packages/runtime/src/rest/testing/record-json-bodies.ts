import { readFileSync, writeFileSync } from 'node:fs'

/** Bodies that are at the edges of JSON, with the answers of Kafka Connect. None of them registers a connector. */
export interface RecordedBodies {
  /** The server that answered, as its `GET /` describes it. */
  readonly server: unknown
  readonly recorded: readonly RecordedBody[]
}

export interface RecordedBody {
  /** In UTF-8. */
  readonly text?: string
  /** In hexadecimal digits, for a body that is not text. */
  readonly hex?: string
  /** The error message of Kafka Connect. */
  readonly message: string
  /** The error message of Tributary, when it differs (ADR 0024). */
  readonly ownMessage?: string
}

const fixture = new URL('../fixtures/json-bodies.json', import.meta.url)

export function readRecordedBodies(): RecordedBodies {
  return JSON.parse(readFileSync(fixture, 'utf8')) as RecordedBodies
}

export function bytesOf({ text = '', hex }: RecordedBody): Buffer<ArrayBuffer> {
  return hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex')
}

/**
 * Sends every body of the fixture to a real Kafka Connect again. To add a body, write it into the fixture and run
 *
 *     node packages/runtime/src/rest/testing/record-json-bodies.ts http://localhost:8083
 */
async function record(base: string): Promise<void> {
  const recorded: RecordedBody[] = []
  for (const body of readRecordedBodies().recorded) {
    const answer = await fetch(`${base}/connectors`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: bytesOf(body),
    })
    const { message } = (await answer.json()) as { message: string }
    recorded.push({ ...body, message })
  }
  const bodies: RecordedBodies = { server: await (await fetch(base)).json(), recorded }
  writeFileSync(fixture, `${JSON.stringify(bodies, null, 2)}\n`)
}

if (import.meta.main) await record(process.argv[2] ?? 'http://localhost:8083')
