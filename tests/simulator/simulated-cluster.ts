import type { Brokers } from './brokers.ts'
import type { SimulatedDisk } from './broker-storage.ts'
import type { Checker } from './checker.ts'
import type { Database } from './database.ts'
import type { Network } from './network.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A machine for a worker, and the process that runs there. */
export interface Seat {
  readonly host: string
  process: WorkerProcess | null
  incarnation: number
}

/** What faults happen to, and what an operator sends requests to. */
export interface SimulatedCluster {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly random: Random
  readonly network: Network
  readonly database: Database
  readonly disk: SimulatedDisk
  readonly brokers: Brokers
  readonly checker: Checker
  readonly seats: readonly Seat[]
  /** One for each task: `c0-0`. */
  readonly sources: readonly string[]
  /** Their names: `c0`. */
  readonly connectors: readonly string[]
  /** `note`: makes it another configuration. */
  connectorConfig(name: string, note: string): Readonly<Record<string, string>>
  /** Starts a worker on the machine, unless one runs by then. */
  restartLater(seat: Seat, afterMs: number): void
  print(line: string): void
}
