import { eventually, type Service } from '@tributary/testkit'
import { CONNECTED, CONNECTED_WITHIN_MS, type ConnectorPlan, type Rig } from '../rig.ts'
import type { System } from '../systems/system.ts'

export interface SystemConnectorPlan extends ConnectorPlan {
  readonly rig: Rig
  readonly system: System
  readonly worker: Service
}

/** One connector on a worker of either system; the two have the same REST interface. */
export class SystemConnector {
  readonly prefix: string
  readonly #plan: SystemConnectorPlan

  constructor(plan: SystemConnectorPlan) {
    this.prefix = plan.prefix
    this.#plan = plan
  }

  get worker(): Service {
    return this.#plan.worker
  }

  get system(): System {
    return this.#plan.system
  }

  /** Registers it; its snapshot begins. */
  async register(): Promise<void> {
    const { rig, worker, system, prefix, includes, more } = this.#plan
    await worker.register(prefix, rig.connectorConfig({ prefix, includes, more: { ...system.connector, ...more } }))
  }

  /** Registers it and waits until it streams. */
  async begin(): Promise<void> {
    const logged = this.worker.log.length
    await this.register()
    await this.waitUntilStreaming(logged)
  }

  /** Until the worker says, after that many characters of its log, that it is connected to the binlog; throws when the task fails. */
  async waitUntilStreaming(logged: number): Promise<void> {
    const { worker, prefix } = this
    let looks = 0
    const trace = await eventually(
      `${prefix} streams`,
      async () => {
        if (CONNECTED.test(worker.log.slice(logged))) return ''
        looks += 1
        if (looks % LOOK_FOR_FAILURE_EVERY !== 0) return undefined
        const task = await worker.taskState(prefix)
        return task.state === 'FAILED' && task.trace
      },
      { timeoutMs: CONNECTED_WITHIN_MS, everyMs: 10 },
    )
    if (trace !== '') throw new Error(`the task of ${prefix} failed: ${trace}`)
  }

  /** Ends its task; the offset is stored. */
  async stop(): Promise<void> {
    await this.#request('PUT', '/stop')
    await eventually(`${this.prefix} is stopped`, () => this.#isStopped(), { timeoutMs: STOP_WITHIN_MS })
  }

  async #isStopped(): Promise<boolean> {
    const { json } = await this.worker.rest('GET', `/connectors/${this.prefix}/status`)
    const { connector, tasks } = json as { connector?: { state?: string }; tasks?: readonly unknown[] }
    return connector?.state === 'STOPPED' && tasks?.length === 0
  }

  async resume(): Promise<void> {
    await this.#request('PUT', '/resume')
  }

  async delete(): Promise<void> {
    await this.#request('DELETE', '')
  }

  /** A worker that has just started, or moves its tasks about, says 409 or 500 for a while. */
  async #request(method: string, path: string): Promise<void> {
    await eventually(
      `${method} of ${this.prefix}${path} is accepted`,
      async () => {
        const { status, text } = await this.worker.rest(method, `/connectors/${this.prefix}${path}`)
        if (status >= 300) throw new Error(`${status} ${text}`)
        return true
      },
      { timeoutMs: STOP_WITHIN_MS, everyMs: 50 },
    )
  }
}

const LOOK_FOR_FAILURE_EVERY = 100

/** The reference waits for its tasks and its producers for up to half a minute. */
const STOP_WITHIN_MS = 120_000
