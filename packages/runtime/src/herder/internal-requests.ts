import type { ConfigMap } from '@tributary/connect-api'
import type { SessionKeySettings } from '../config/session-key-settings.ts'
import { runtimeErrors } from '../errors.ts'
import type { GroupView } from '../group/group-view.ts'
import { refuseSignature, signatureHeaders, type InternalRequest } from '../session-key/request-signature.ts'
import type { ConfigStore } from '../storage/config-store.ts'
import { HerderError } from './herder-error.ts'
import type { TopicWait } from './topic-wait.ts'

/** The settings for requests between the workers of a group. */
export interface InternalSettings {
  readonly sessionKeys: SessionKeySettings
  readonly group: GroupView
  /** Whether requests of users need a login. */
  readonly hasLogins: boolean
}

export interface InternalRequestsOptions {
  readonly internal: InternalSettings
  readonly configs: ConfigStore
  readonly topicWait: TopicWait
  /** Fences the former tasks of a connector. Null: the worker writes no transactions. */
  readonly fence: ((connector: string, signal: AbortSignal) => Promise<void>) | null
}

/** Requests of the other workers of the group. */
export class InternalRequests {
  readonly #options: InternalRequestsOptions

  constructor(options: InternalRequestsOptions) {
    this.#options = options
  }

  /**
   * In a group whose protocol has no session keys, requests are not signed, as in Kafka Connect. A worker with logins
   * refuses them then: they are exempt from the login.
   *
   * @throws the problems of a signature
   */
  requireSigned(request: InternalRequest): void {
    const { configs, internal } = this.#options
    const { sessionKeys, group, hasLogins } = internal
    if (!group.isSole && !group.isSigned && !hasLogins) return
    const refusal = refuseSignature(request, configs.sessionKey, sessionKeys)
    if (refusal !== null) throw new HerderError(refusal)
  }

  sign(body: Buffer): Readonly<Record<string, string>> {
    const { configs, internal } = this.#options
    return configs.sessionKey === null ? {} : signatureHeaders(body, configs.sessionKey, internal.sessionKeys)
  }

  /** A worker of Kafka Connect that runs a connector computes its task configurations, and the leader stores them. */
  async putTaskConfigs(name: string, taskConfigs: readonly ConfigMap[]): Promise<void> {
    const { configs, topicWait } = this.#options
    this.#require(name)
    await topicWait.run(
      (signal) => configs.putTaskConfigs(name, taskConfigs, signal),
      runtimeErrors.CONFIG_WRITE_FAILED,
    )
  }

  /** A worker that starts a transactional task asks the leader for it. */
  async fence(name: string): Promise<void> {
    const { fence, topicWait } = this.#options
    this.#require(name)
    if (fence === null) throw new HerderError({ tag: 'fencing not supported' })
    await topicWait.run((signal) => fence(name, signal), runtimeErrors.CONFIG_WRITE_FAILED)
  }

  #require(name: string): void {
    if (this.#options.configs.get(name) !== null) return
    throw new HerderError({ tag: 'unknown connector', connector: name, request: 'read' })
  }
}
