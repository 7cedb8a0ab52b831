import { NO_WORK, type TaskRef, type Work } from './protocol/work.ts'

/**
 * Which connectors and tasks are this worker's. The membership changes it; the reconcilers follow it, and what is not
 * this worker's they stop.
 *
 * - **Alone**, everything is its own, also what is created later: no round is needed for it. `freeze` ends that before
 *   another worker can get anything.
 * - **In a group**, it is what the rounds have added and not released.
 * - **Suspended**, nothing runs, because another worker may have taken over; what was assigned is remembered.
 */
export class GroupAssignment {
  /** Of the last completed round. Statuses carry it. */
  generation = 1
  /** The worker computes the assignments of the group. While it is alone it is the leader. */
  isLeader = false
  #isHeld = true
  #isAll = false
  readonly #connectors = new Set<string>()
  readonly #tasks = new Map<string, Set<number>>()
  /** What is being stopped so that another worker may get it. */
  #released: Work = NO_WORK

  /** An assignment of everything, for a worker that is alone. */
  static all(): GroupAssignment {
    const assignment = new GroupAssignment()
    assignment.takeAll()
    return assignment
  }

  /** Everything is this worker's. */
  get isAll(): boolean {
    return this.#isAll
  }

  hasConnector(connector: string): boolean {
    return this.#isHeld && (this.#isAll || this.#connectors.has(connector))
  }

  hasTask(connector: string, task: number): boolean {
    return this.#isHeld && (this.#isAll || this.#tasks.get(connector)?.has(task) === true)
  }

  /** The connector is being handed over: this worker still writes its status. */
  isReleasingConnector(connector: string): boolean {
    return this.#isHeld && this.#released.connectors.includes(connector)
  }

  isReleasingTask(connector: string, task: number): boolean {
    return this.#isHeld && this.#released.tasks.some((each) => each.connector === connector && each.task === task)
  }

  /** What is assigned, whether suspended or not. `all`: what everything is at the moment. */
  work(all: Work): Work {
    if (this.#isAll) return all
    const tasks: TaskRef[] = []
    for (const [connector, numbers] of this.#tasks) for (const task of numbers) tasks.push({ connector, task })
    return { connectors: [...this.#connectors], tasks }
  }

  takeAll(): void {
    this.clear()
    this.#isAll = true
    this.isLeader = true
  }

  /** What was everything becomes what it is at the moment. */
  freeze(all: Work): void {
    if (!this.#isAll) return
    this.#isAll = false
    this.add(all)
  }

  add({ connectors, tasks }: Work): void {
    for (const connector of connectors) this.#connectors.add(connector)
    for (const { connector, task } of tasks) {
      const numbers = this.#tasks.get(connector) ?? new Set()
      this.#tasks.set(connector, numbers.add(task))
    }
  }

  /** Takes work away; until `dropReleased` the worker writes the statuses of it. */
  release(work: Work): void {
    const connectors = work.connectors.filter((connector) => this.#connectors.delete(connector))
    const tasks = work.tasks.filter(({ connector, task }) => this.#tasks.get(connector)?.delete(task) === true)
    for (const { connector } of tasks) if (this.#tasks.get(connector)?.size === 0) this.#tasks.delete(connector)
    this.#released = {
      connectors: [...this.#released.connectors, ...connectors],
      tasks: [...this.#released.tasks, ...tasks],
    }
  }

  /** What was released has stopped, and others may get it. */
  dropReleased(): void {
    this.#released = NO_WORK
  }

  /** Nothing is this worker's. */
  clear(): void {
    this.#isAll = false
    this.#connectors.clear()
    this.#tasks.clear()
    this.#released = NO_WORK
  }

  suspend(): void {
    this.#isHeld = false
  }

  resume(): void {
    this.#isHeld = true
  }
}
