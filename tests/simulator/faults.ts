import type { Operator } from './operator.ts'
import type { Fault, FaultKind } from './plan.ts'
import type { Seat, SimulatedCluster } from './simulated-cluster.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Error codes of the protocol guide: before a batch is written, and after. */
const REFUSALS = [5, 6, 7, 19, 56] as const
const WRITTEN_ANSWERS = [7, 20] as const
const KILLED_RESTART_MS_MAX = 20_000
/** Longer than the session of a worker: a shorter freeze proves nothing. */
const FROZEN_IN_WRITE_MS_MIN = 15_000

/** Makes the faults of a plan happen. */
export class FaultInjector {
  readonly counts: Map<FaultKind, number> = new Map()
  readonly #simulation: SimulatedCluster
  readonly #operator: Operator
  /** Ends what lasts, in case it has not ended by itself. */
  readonly #ends = new Set<() => void>()

  constructor(simulation: SimulatedCluster, operator: Operator) {
    this.#simulation = simulation
    this.#operator = operator
  }

  inject(fault: Fault): void {
    const hasHappened = this.#happen(fault)
    if (!hasHappened) return
    this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1)
    this.#simulation.print(`FAULT ${fault.kind}, target ${fault.target}, for ${fault.forMs} ms, amount ${fault.amount}`)
  }

  end(): void {
    for (const end of this.#ends) end()
    this.#ends.clear()
  }

  /** Returns false when there is nothing that it could happen to. */
  #happen(fault: Fault): boolean {
    switch (fault.kind) {
      case 'kill worker':
      case 'kill worker at a write':
      case 'vanish worker':
      case 'terminate worker':
      case 'freeze worker':
      case 'freeze worker in a write':
      case 'freeze task':
      case 'crash task':
      case 'set clock':
      case 'slow clock':
      case 'cut worker':
      case 'cut one broker':
      case 'stall worker':
        return this.#happenToWorker(fault)
      case 'pause':
      case 'resume':
      case 'stop':
      case 'restart':
      case 'reconfigure':
        this.#operator.request(fault.kind, fault.target)
        return true
      case 'restart database':
      case 'fail over':
      case 'purge':
        return this.#happenToDatabase(fault)
      default:
        return this.#happenToBrokers(fault)
    }
  }

  #happenToWorker(fault: Fault): boolean {
    const { seats, network, scheduler } = this.#simulation
    const seat = seats[fault.target % seats.length]
    const worker = seat?.process
    if (seat === undefined || worker === null || worker === undefined || worker.domain.isDead) return false
    const { domain } = worker
    switch (fault.kind) {
      case 'kill worker':
        domain.kill()
        this.#restart(seat, fault)
        return true
      case 'kill worker at a write':
        network.state(domain).writesToLive = fault.amount % 40
        domain.onDeath(() => this.#restart(seat, fault))
        return true
      case 'vanish worker':
        // The machine is gone: nothing closes its connections, and their ends never arrive.
        network.state(domain).stalledUntilMs = Infinity
        domain.kill()
        this.#restart(seat, fault)
        return true
      case 'terminate worker':
        worker.terminate()
        return true
      case 'freeze worker':
        domain.freeze()
        this.#lasting(fault, () => domain.thaw())
        return true
      case 'freeze worker in a write': {
        const freeze = (): void => {
          domain.freeze()
          this.#lasting({ ...fault, forMs: Math.max(fault.forMs, FROZEN_IN_WRITE_MS_MIN) }, () => domain.thaw())
        }
        network.state(domain).freezeInWrite = { requests: fault.amount % 10, freeze }
        return true
      }
      case 'freeze task':
        return this.#freezeTask(worker, fault)
      case 'crash task':
        if (worker.threads.domains.length === 0) return false
        worker.threads.crash(fault.amount)
        return true
      case 'set clock':
        domain.wallOffsetMs += (fault.amount - 300) * 100
        return true
      case 'slow clock':
        domain.clockRate = 0.1
        this.#lasting(fault, () => (domain.clockRate = 1))
        return true
      case 'cut one broker':
        return network.cut(domain, (address) => address.startsWith(`broker-${1 + (fault.amount % 3)}:`)) > 0
      case 'stall worker':
        network.state(domain).stalledUntilMs = scheduler.nowMs + fault.forMs
        return true
      default:
        this.#simulation.database.cut(domain)
        return network.cut(domain) > 0
    }
  }

  #freezeTask({ threads }: WorkerProcess, fault: Fault): boolean {
    const { domains } = threads
    const thread = domains[fault.amount % Math.max(1, domains.length)]
    if (thread === undefined) return false
    thread.freeze()
    this.#lasting(fault, () => thread.thaw())
    return true
  }

  #happenToDatabase(fault: Fault): boolean {
    const { database, sources, checker } = this.#simulation
    if (fault.kind !== 'purge') database.restart(Math.min(fault.forMs, 15_000))
    if (fault.kind === 'restart database') return true
    // What no task needs any more: a database keeps its binlog for days.
    for (const source of sources) database.purge(source, checker.offset(source))
    return true
  }

  #happenToBrokers(fault: Fault): boolean {
    const { brokers, disk, network, scheduler, plan } = this.#simulation
    const untilMs = scheduler.nowMs + fault.forMs
    switch (fault.kind) {
      case 'stop broker':
        if (plan.brokers === 1) return false
        brokers.stop(fault.target)
        this.#lasting(fault, () => brokers.start(fault.target))
        return true
      case 'move leaders':
        if (plan.brokers === 1) return false
        brokers.moveLeaders()
        return true
      case 'restart all brokers':
        brokers.restartAll()
        return true
      case 'forget sequence numbers':
        return brokers.forgetSequenceNumbers() > 0
      case 'forget transactional ids':
        return brokers.forgetTransactionalIds() > 0
      case 'refuse writes':
        brokers.produceFault = {
          untilMs,
          errorCode: chosen(REFUSALS, fault.amount),
          isWritten: false,
          probability: 0.5,
        }
        return true
      case 'answer written batches with an error': {
        const errorCode = chosen(WRITTEN_ANSWERS, fault.amount)
        brokers.produceFault = { untilMs, errorCode, isWritten: true, probability: 0.3 }
        return true
      }
      case 'fill disk of data':
        disk.fullFor = (topic) => topic.startsWith('data.')
        this.#lasting(fault, () => (disk.fullFor = () => false))
        return true
      case 'fill disk of offsets':
        disk.fullFor = (topic) => topic.startsWith('sim-')
        this.#lasting(fault, () => (disk.fullFor = () => false))
        return true
      case 'slow network': {
        network.latencyMs = plan.latencyMs * 30
        this.#lasting(fault, () => (network.latencyMs = plan.latencyMs))
        return true
      }
      default:
        return false
    }
  }

  #restart(seat: Seat, { forMs }: Fault): void {
    this.#simulation.restartLater(seat, Math.min(forMs, KILLED_RESTART_MS_MAX))
  }

  #lasting({ forMs }: Fault, end: () => void): void {
    const once = (): void => {
      if (this.#ends.delete(once)) end()
    }
    this.#ends.add(once)
    this.#simulation.scheduler.after(forMs, null, once)
  }
}

function chosen(codes: readonly number[], amount: number): number {
  return codes[amount % codes.length] ?? 0
}
