import type { ConfigMap } from '@tributary/connect-api'
import { forwardedAnswer } from './forwarded-answer.ts'
import type { WorkerClient } from './worker-client.ts'

export interface LeaderClientOptions {
  readonly client: WorkerClient
  /** The headers that sign a body for the other workers. */
  readonly sign: (body: Buffer) => Readonly<Record<string, string>>
}

/** Sends a worker's internal requests to the leader, signed. */
export class LeaderClient {
  readonly #options: LeaderClientOptions

  constructor(options: LeaderClientOptions) {
    this.#options = options
  }

  /** Makes the leader store the task configurations of a connector. @throws RequestError, errors of the network */
  putTaskConfigs(
    leaderUrl: string,
    connector: string,
    configs: readonly ConfigMap[],
    signal?: AbortSignal,
  ): Promise<void> {
    return this.#send(
      leaderUrl,
      { method: 'POST', connector, action: 'tasks', body: Buffer.from(JSON.stringify(configs)) },
      signal,
    )
  }

  /** Makes the leader fence former tasks of a connector. @throws RequestError, errors of the network */
  fenceZombies(leaderUrl: string, connector: string, signal?: AbortSignal): Promise<void> {
    return this.#send(leaderUrl, { method: 'PUT', connector, action: 'fence', body: Buffer.alloc(0) }, signal)
  }

  async #send(
    leaderUrl: string,
    { method, connector, action, body }: { method: string; connector: string; action: string; body: Buffer },
    signal?: AbortSignal,
  ): Promise<void> {
    const { client, sign } = this.#options
    const url = new URL(leaderUrl)
    url.pathname = `${url.pathname.replace(/\/$/, '')}/connectors/${encodeURIComponent(connector)}/${action}`
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'tributary',
      ...sign(body),
    }
    forwardedAnswer(await client.send({ url, method, headers, body }, signal))
  }
}
