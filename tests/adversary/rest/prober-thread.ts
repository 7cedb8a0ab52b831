/** Sends `GET /connectors` at a fixed rate from a thread of its own, so that an attack cannot delay it here. */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 20
const TIMEOUT_MS = 20_000
const { port } = workerData as { readonly port: number }

/** Milliseconds of each answer; each probe is due at a time that does not depend on earlier ones. */
const latencies: number[] = []
let failures = 0
let isRunning = true
let inFlight = 0

parentPort?.once('message', () => (isRunning = false))

function probe(dueMs: number): void {
  inFlight += 1
  const end = (isAnswered: boolean): void => {
    inFlight -= 1
    latencies.push(performance.now() - dueMs)
    if (!isAnswered) failures += 1
  }
  const sent = request(
    { host: '127.0.0.1', port, path: '/connectors', agent: false, timeout: TIMEOUT_MS },
    (answer) => {
      answer.resume()
      answer.once('end', () => end(answer.statusCode === 200))
    },
  )
  sent.once('timeout', () => sent.destroy(new Error('no answer')))
  sent.once('error', () => end(false))
  sent.end()
}

const start = performance.now()
for (let n = 0; isRunning; n += 1) {
  const dueMs = start + n * EVERY_MS
  const pause = dueMs - performance.now()
  if (pause > 0) await sleep(pause)
  // Not so many that the probes themselves are an attack.
  if (inFlight < 200) probe(dueMs)
}
while (inFlight > 0) await sleep(EVERY_MS)
parentPort?.postMessage({ latencies, failures })
