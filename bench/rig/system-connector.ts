import { eventually, type Service } from '@tributary/testkit'
import { CONNECTED, CONNECTED_WITHIN_MS, type ConnectorPlan, type Rig } from './rig.ts'
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
  waitUntilStreaming(logged: number): Promise<void> {
    return waitForStreams([this], logged)
  }

  /** Ends its task; the offset is stored. */
  async stop(): Promise<void> {
    await this.requestStop()
    await this.waitUntilStopped()
  }

  async requestStop(): Promise<void> {
    await this.#request('PUT', '/stop')
  }

  async waitUntilStopped(): Promise<void> {
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

/** Connectors of one worker: registers all, waits until all stream, and stops them: they have seen the tables, and what happens next waits. */
export async function beginAndStop(connectors: readonly SystemConnector[]): Promise<void> {
  const logged = connectors[0]?.worker.log.length ?? 0
  for (const connector of connectors) await connector.register()
  await waitForStreams(connectors, logged)
  for (const connector of connectors) await connector.requestStop()
  for (const connector of connectors) await connector.waitUntilStopped()
}

/** Until the worker has said as often, after that many characters of its log, that it is connected to the binlog. */
async function waitForStreams(connectors: readonly SystemConnector[], logged: number): Promise<void> {
  const [first] = connectors
  if (first === undefined) return
  let looks = 0
  const failure = await eventually(
    `${first.prefix} streams`,
    async () => {
      if (first.worker.log.slice(logged).split(CONNECTED).length > connectors.length) return ''
      looks += 1
      return looks % LOOK_FOR_FAILURE_EVERY === 0 && failureOf(connectors)
    },
    { timeoutMs: CONNECTED_WITHIN_MS, everyMs: 10 },
  )
  if (failure !== '') throw new Error(failure)
}

async function failureOf(connectors: readonly SystemConnector[]): Promise<string | undefined> {
  for (const { worker, prefix } of connectors) {
    const { state, trace } = await worker.taskState(prefix)
    if (state === 'FAILED') return `the task of ${prefix} failed: ${trace}`
  }
  return undefined
}

const LOOK_FOR_FAILURE_EVERY = 100

/** The reference waits for its tasks and its producers for up to half a minute. */
const STOP_WITHIN_MS = 120_000
