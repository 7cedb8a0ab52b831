import { writeFileSync } from 'node:fs'
import { BODIES_FIXTURE, bytesOf, readRecordedBodies } from './recorded-bodies.ts'
import type { RecordedBodies, RecordedBody } from './recorded-bodies.ts'

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
  writeFileSync(BODIES_FIXTURE, `${JSON.stringify(bodies, null, 2)}\n`)
}

await record(process.argv[2] ?? 'http://localhost:8083')
