import type { ConnectorOffsets, Message } from '@tributary/rest-api'
import type { Clock } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { GroupView } from '../group/group-view.ts'
import type { Plugins } from '../plugins/plugins.ts'
import type { OffsetAccess } from '../storage/offset-access.ts'
import { offsetJson, offsetKey } from '../storage/offset-record.ts'
import type { OffsetStore } from '../storage/offset-store.ts'
import type { Storage } from '../storage/storage.ts'
import type { TextRecord } from '../storage/topic-writer.ts'
import type { ConnectorViews } from './connector-views.ts'
import { requireLeaderOf } from './group-access.ts'
import { HerderError } from './herder-error.ts'
import type { AlteredOffset } from './herder.ts'
import type { Fencing } from './reconcile/reconciler-context.ts'
import type { Reconcilers } from './reconcile/reconcilers.ts'
import type { TopicWait } from './topic-wait.ts'

export interface OffsetRequestsOptions {
  readonly plugins: Plugins
  readonly views: ConnectorViews
  readonly reconcilers: Reconcilers
  readonly topicWait: TopicWait
  readonly clock: Clock
  readonly group: GroupView
  readonly storage: Pick<Storage, 'statuses' | 'readStatusesToEnd'>
  readonly offsets: OffsetAccess
  /** Null: tasks deliver at least once. */
  readonly fencing: Fencing | null
}

/** Requests that read or change the stored offsets of a connector. */
export class OffsetRequests {
  readonly #options: OffsetRequestsOptions

  constructor(options: OffsetRequestsOptions) {
    this.#options = options
  }

  async read(name: string): Promise<ConnectorOffsets> {
    const { offsets, views, topicWait } = this.#options
    const { config } = views.desired(name)
    const stored = await topicWait.run((signal) => offsets.read(name, config, signal), runtimeErrors.OFFSET_READ_FAILED)
    return { offsets: stored.offsets(name) }
  }

  async alter(name: string, altered: readonly AlteredOffset[]): Promise<Message> {
    this.#requireReadable(name, altered)
    await this.#change(name, (stored) =>
      altered.map(({ partition, offset }) => ({
        key: offsetKey(name, stored.storedPartition(name, partition)),
        value: offset === null ? null : offsetJson(offset),
      })),
    )
    return { message: doneMessage('altered') }
  }

  /** A task could not start from an offset that its connector cannot read. */
  #requireReadable(name: string, altered: readonly AlteredOffset[]): void {
    const { plugins, views } = this.#options
    const connector = plugins.source(views.desired(name).config['connector.class'] ?? '')?.createConnector()
    for (const { offset } of altered) {
      const reason = offset === null ? null : (connector?.refuseOffset?.(offset) ?? null)
      if (reason !== null) throw new HerderError({ tag: 'invalid offset', reason })
    }
  }

  async reset(name: string): Promise<Message> {
    await this.#change(name, (stored) =>
      stored.partitions(name).map((each) => ({ key: offsetKey(name, each), value: null })),
    )
    return { message: doneMessage('reset') }
  }

  /**
   * Takes a turn of the connector: before it, the tasks of a stopped connector that ran on this worker have ended and
   * stored their last offsets. It waits for those of other workers between turns, because this worker may have to give up
   * the connector meanwhile. A task that has lost its worker's lease is fenced, if it writes in transactions.
   */
  async #change(name: string, records: (stored: OffsetStore) => readonly TextRecord[]): Promise<void> {
    const { offsets, fencing, views, reconcilers, topicWait, clock, group } = this.#options
    const attempt = async (signal: AbortSignal): Promise<boolean> => {
      const { targetState, taskConfigs, config } = views.desired(name)
      if (targetState !== 'STOPPED' || (taskConfigs ?? []).length > 0) {
        throw new HerderError({ tag: 'connector not stopped', connector: name })
      }
      if (await this.#runsElsewhere(name, signal)) return false
      await fencing?.fence(name, signal)
      const stored = await offsets.read(name, config, signal)
      // Another worker may lead the group since the request began, and may have resumed the connector.
      requireLeaderOf(group)
      await offsets.write(name, config, records(stored), signal)
      return true
    }
    const untilDone = async (signal: AbortSignal): Promise<void> => {
      while (!(await reconcilers.inTurn(name, attempt, signal))) await clock.sleep(ENDED_CHECK_MS, signal)
    }
    await topicWait.run(untilDone, runtimeErrors.OFFSET_WRITE_FAILED)
  }

  /**
   * Whether a task of the connector may still store an offset on another worker: one was assigned it in the last round,
   * and may not have stored a status yet, or has not removed the status, which it does after the last offset.
   */
  async #runsElsewhere(name: string, signal: AbortSignal): Promise<boolean> {
    const { storage, group } = this.#options
    await storage.readStatusesToEnd(signal)
    return group.tasksMayRun(name) || storage.statuses.tasks(name).length > 0
  }
}

const ENDED_CHECK_MS = 50

/** Connect's text for every connector that does not manage its offsets itself; Debezium's does not. */
function doneMessage(done: 'altered' | 'reset'): string {
  return `The Connect framework-managed offsets for this connector have been ${done} successfully. However, if this connector manages offsets externally, they will need to be manually ${done} in the system that the connector uses.`
}
