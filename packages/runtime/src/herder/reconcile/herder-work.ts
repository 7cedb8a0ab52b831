import type { ConfiguredWork, GroupMembers, GroupWork, WorkWatcher } from '../../group/group-work.ts'
import type { TaskLoad } from '../../group/protocol/own-data.ts'
import type { TaskRef, Work } from '../../group/protocol/work.ts'
import type { Plugins } from '../../plugins/plugins.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Reconcilers } from './reconcilers.ts'

export interface HerderWorkOptions {
  readonly plugins: Plugins
  readonly storage: Storage
  readonly reconcilers: Reconcilers
}

/** The connectors and tasks of the config topic as the work of a group, which the reconcilers do. */
export class HerderWork implements GroupWork {
  readonly #options: HerderWorkOptions
  #watcher: WorkWatcher = { onChanged: () => undefined, onReleased: () => undefined }

  constructor(options: HerderWorkOptions) {
    this.#options = options
    const { statuses } = options.storage
    statuses.listen({
      onReleased: () => this.#watcher.onReleased(),
      onForeignStatus: (connector, task) => options.reconcilers.repeatStatus(connector, task),
      onTopicForgotten: (connector) => options.reconcilers.runner.forgetTopics(connector),
    })
  }

  get configured(): ConfiguredWork {
    const { configs } = this.#options.storage
    const { names, offset, workChangedAt } = configs
    const tasks: TaskRef[] = []
    for (const connector of names) {
      const count = configs.get(connector)?.taskConfigs?.length ?? 0
      for (let task = 0; task < count; task += 1) tasks.push({ connector, task })
    }
    return { work: { connectors: names, tasks }, offset, changedAt: workChangedAt }
  }

  catchUp(signal: AbortSignal): Promise<void> {
    return this.#options.storage.readConfigsToEnd(signal)
  }

  watch(watcher: WorkWatcher): void {
    this.#watcher = watcher
  }

  /** Call it when the config topic has changed something about connectors or tasks. */
  noteChange(): void {
    this.#watcher.onChanged()
  }

  canRun(connector: string): boolean {
    const { plugins, storage } = this.#options
    return plugins.source(storage.configs.get(connector)?.config['connector.class'] ?? '') !== null
  }

  loads(): readonly TaskLoad[] {
    return this.#options.reconcilers.runner.loads()
  }

  reconcile(connectors: Iterable<string>): Promise<void> {
    return this.#options.reconcilers.settle(connectors)
  }

  has({ connector, task }: TaskRef): boolean {
    return this.#options.reconcilers.has(connector, task)
  }

  async stopAll(): Promise<void> {
    const { storage, reconcilers } = this.#options
    reconcilers.interruptTurns()
    // Without the lease it would be stored as soon as that is renewed, and might contradict another worker.
    await storage.dropUnstored()
    await reconcilers.settleAll()
    // A request that was in its turn may have written since.
    await storage.dropUnstored()
  }

  startAll(): void {
    void this.#options.reconcilers.settleAll()
  }

  reportIdle(idle: Work, members: GroupMembers): void {
    this.#options.reconcilers.reporter.reportIdle(idle, members)
  }
}
