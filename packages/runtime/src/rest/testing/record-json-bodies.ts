import { readFileSync, writeFileSync } from 'node:fs'

/** Bodies around the edges of JSON with what Kafka Connect said to them. None of them registers a connector. */
export interface RecordedBodies {
  /** The server that was asked. */
  readonly server: unknown
  readonly recorded: readonly RecordedBody[]
}

export interface RecordedBody {
  /** In UTF-8. */
  readonly text?: string
  /** In hexadecimal digits, where the body is no text. */
  readonly hex?: string
  readonly message: string
}

const fixture = new URL('../fixtures/json-bodies.json', import.meta.url)

export function readRecordedBodies(): RecordedBodies {
  return JSON.parse(readFileSync(fixture, 'utf8')) as RecordedBodies
}

export function bytesOf({ text = '', hex }: RecordedBody): Buffer<ArrayBuffer> {
  return hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex')
}

/**
 * Asks a real Kafka Connect about every body of the fixture again. To add a body, write it there and run
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
