import type { Service } from '@tributary/testkit'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker as Thread } from 'node:worker_threads'
import type { Attack } from './attacks.ts'

/** How a worker answered `GET /connectors` of another client during an attack. Milliseconds and megabytes. */
export interface Reaction {
  readonly attack: string
  readonly answers: number
  readonly failures: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly peakMb: number
  /** What the attacker got, and how often. */
  readonly outcomes: ReadonlyMap<string, number>
}

interface Probes {
  readonly latencies: readonly number[]
  readonly failures: number
}

/** Attacks a worker for some seconds while another client asks it for its connectors. */
export async function reactionTo(service: Service, attack: Attack, durationMs: number): Promise<Reaction> {
  const prober = new Thread(new URL('./prober-thread.ts', import.meta.url), { workerData: { port: service.port } })
  let peakMb = 0
  const memory = setInterval(() => (peakMb = Math.max(peakMb, residentMb(service.pid))), 100)
  const attacker = new Thread(new URL('./attacker-thread.ts', import.meta.url), {
    workerData: { port: service.port, attack: attack.name, durationMs },
  })
  try {
    const [outcomes] = (await once(attacker, 'message')) as [ReadonlyMap<string, number>]
    prober.postMessage('end')
    const [{ latencies, failures }] = (await once(prober, 'message')) as [Probes]
    const sorted = latencies.toSorted((a, b) => a - b)
    const at = (part: number): number => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
    const { length: answers } = sorted
    return { attack: attack.name, answers, failures, p50: at(0.5), p99: at(0.99), max: at(1), peakMb, outcomes }
  } finally {
    clearInterval(memory)
    await Promise.all([attacker.terminate(), prober.terminate()])
  }
}

function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1000)
}
