import { eventually, type Service } from '@tributary/testkit'
import { CONNECTED, CONNECTED_WITHIN_MS, type ConnectorPlan, type Rig } from './rig.ts'
import type { System } from '../systems/system.ts'

export interface SystemConnectorPlan extends ConnectorPlan {
  readonly rig: Rig
  readonly system: System
  readonly worker: Service
}

/** One connector on a worker of any system; all have the same REST interface. */
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

  /** Registers the connector, which starts its snapshot. */
  async register(): Promise<void> {
    const { rig, worker, system, prefix, includes, more } = this.#plan
    await worker.register(prefix, rig.connectorConfig({ prefix, includes, more: { ...system.connector, ...more } }))
  }

  /** Registers the connector and waits until it streams. */
  async start(): Promise<void> {
    const logged = this.worker.log.length
    await this.register()
    await this.waitUntilStreaming(logged)
  }

  /**
   * Waits until the worker logs, after the first `logged` characters of its log, that it streams. Throws when the task
   * fails.
   */
  waitUntilStreaming(logged: number): Promise<void> {
    return waitForStreams([this], logged)
  }

  /** Stops the connector's task, which commits its offset. */
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

  /** Repeats the request: a worker that has just started, or is rebalancing, answers 409 or 500 for a while. */
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

/**
 * Registers all connectors of one worker, waits until all of them stream, and stops them. Later changes wait for them
 * in the binlog.
 */
export async function startAndStop(connectors: readonly SystemConnector[]): Promise<void> {
  const logged = connectors[0]?.worker.log.length ?? 0
  for (const connector of connectors) await connector.register()
  await waitForStreams(connectors, logged)
  for (const connector of connectors) await connector.requestStop()
  for (const connector of connectors) await connector.waitUntilStopped()
}

/**
 * Waits until the worker has logged the start of streaming once per connector, after the first `logged` characters of
 * its log.
 */
async function waitForStreams(connectors: readonly SystemConnector[], logged: number): Promise<void> {
  const [first] = connectors
  if (first === undefined) return
  let polls = 0
  const failure = await eventually(
    `${first.prefix} streams`,
    async () => {
      if (first.worker.log.slice(logged).split(CONNECTED).length > connectors.length) return ''
      polls += 1
      return polls % POLLS_PER_STATE_CHECK === 0 && failureOf(connectors)
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

const POLLS_PER_STATE_CHECK = 100

/** The reference waits up to half a minute for its tasks and producers. */
const STOP_WITHIN_MS = 120_000
