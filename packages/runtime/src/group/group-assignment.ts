import { NO_WORK, type TaskRef, type Work } from './protocol/work.ts'

/**
 * The connectors and tasks that are assigned to this worker. The membership changes the assignment; the reconcilers
 * follow it, and stop all other work.
 *
 * - **Alone**, the worker has everything, including connectors created later: no round is needed for them. `freeze`
 *   ends that before another worker can get anything.
 * - **In a group**, it has the work that the rounds have added and not released.
 * - **Suspended**, it runs nothing, because another worker may have taken over; the assignment is remembered.
 */
export class GroupAssignment {
  /** The generation of the last completed round. Statuses contain it. */
  generation = 1
  /** Whether this worker computes the assignments of the group. A worker that is alone is the leader. */
  isLeader = false
  #isHeld = true
  #isAll = false
  readonly #connectors = new Set<string>()
  readonly #tasks = new Map<string, Set<number>>()
  /** Work that this worker is stopping so that another one can get it. */
  #released: Work = NO_WORK

  /** An assignment of everything, for a worker that is alone. */
  static all(): GroupAssignment {
    const assignment = new GroupAssignment()
    assignment.takeAll()
    return assignment
  }

  /** Whether this worker has everything, because it is alone. */
  get isAll(): boolean {
    return this.#isAll
  }

  hasConnector(connector: string): boolean {
    return this.#isHeld && (this.#isAll || this.#connectors.has(connector))
  }

  hasTask(connector: string, task: number): boolean {
    return this.#isHeld && (this.#isAll || this.#tasks.get(connector)?.has(task) === true)
  }

  /** Whether this worker is handing over the connector, and still writes its status. */
  isReleasingConnector(connector: string): boolean {
    return this.#isHeld && this.#released.connectors.includes(connector)
  }

  isReleasingTask(connector: string, task: number): boolean {
    return this.#isHeld && this.#released.tasks.some((each) => each.connector === connector && each.task === task)
  }

  /** The assigned work, whether suspended or not. `all`: all work that is configured at the moment. */
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

  /** Replaces "everything" by the work that is configured at the moment. */
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

  /** Removes work from the assignment. The worker still writes its statuses until `dropReleased`. */
  release(work: Work): void {
    const connectors = work.connectors.filter((connector) => this.#connectors.delete(connector))
    const tasks = work.tasks.filter(({ connector, task }) => this.#tasks.get(connector)?.delete(task) === true)
    for (const { connector } of tasks) if (this.#tasks.get(connector)?.size === 0) this.#tasks.delete(connector)
    this.#released = {
      connectors: [...this.#released.connectors, ...connectors],
      tasks: [...this.#released.tasks, ...tasks],
    }
  }

  /** Called when the released work has stopped, and others may get it. */
  dropReleased(): void {
    this.#released = NO_WORK
  }

  /** Removes all work. */
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
