import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom, Service } from '@tributary/testkit'
import { SESSION_MS } from './exact-group.ts'

/** A task of the worker has taken over its transactional id. */
export const TASK_STARTED: RegExp = /Records are delivered exactly once/

/** A worker that has no task after this time suffers nevertheless: it may be the leader. */
const WITHOUT_TASK_MS = 15_000

export interface FaultCounts {
  killed: number
  frozen: number
  stopped: number
}

/**
 * Kills, freezes and stops a worker at random moments while its tasks run, until the workers together were killed often
 * enough. Mostly it stays down for longer than its session, so that its tasks move to other workers; sometimes it
 * returns before.
 */
export async function sufferFaults(
  worker: Service,
  random: SeededRandom,
  counts: FaultCounts,
  kills: number,
): Promise<void> {
  let from = 0
  while (counts.killed < kills) {
    await worker.waitForLog(TASK_STARTED, from, WITHOUT_TASK_MS).catch(() => undefined)
    await sleep(random.integer(0, 2_000))
    if (counts.killed >= kills) return
    from = worker.log.length
    const kind = random.integer(0, 10)
    if (kind < 6) {
      counts.killed += 1
      await worker.kill()
      await sleep(random.integer(0, 3) === 0 ? random.integer(0, SESSION_MS) : SESSION_MS + random.integer(0, 4_000))
      await worker.start()
    } else if (kind < 8) {
      counts.frozen += 1
      process.kill(worker.pid, 'SIGSTOP')
      await sleep(SESSION_MS + random.integer(0, 6_000))
      process.kill(worker.pid, 'SIGCONT')
    } else {
      counts.stopped += 1
      await worker.stop()
      await sleep(random.integer(0, 4_000))
      await worker.start()
    }
  }
}
