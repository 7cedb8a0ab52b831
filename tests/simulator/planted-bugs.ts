import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

export interface PlantedBug {
  /** From the root of the repository. */
  readonly file: string
  /** Occurs once in it. */
  readonly line: string
  readonly planted: string
  /** The rules of which a seed has to break one. */
  readonly rules: readonly string[]
  /** Found within so many seeds. */
  readonly seedsMax: number
}

/** Bugs that the simulator has to find. They are planted in the code as it is loaded, and in nothing that is released. */
export const PLANTED_BUGS: Readonly<Record<string, PlantedBug>> = {
  'an offset is committed early': {
    file: 'packages/runtime/src/task/delivery/submitted-records.ts',
    line: '    const taken = new Map(this.#committable)',
    planted:
      '    const last = (this.#next - 1) & this.#mask\n' +
      '    const [partition, offset] = [this.#partitions[last], this.#offsets[last]]\n' +
      '    if (this.#first < this.#next && partition && offset) this.#committable.set(partition, offset)\n' +
      '    const taken = new Map(this.#committable)',
    rules: ['early offset'],
    seedsMax: 100,
  },
  'the lease is not checked': {
    file: 'packages/runtime/src/task/run-task.ts',
    line: 'const lease = new Lease(clock, resolved.data.lease)',
    planted: 'const lease = { isHeld: true, held: () => Promise.resolve() }',
    rules: ['two writers', 'order', 'offset back'],
    seedsMax: 300,
  },
  'a small request is completed after a freeze': {
    file: 'packages/kafka/src/network/request-writer.ts',
    line: 'if (isOpaque || socket.writableLength === 0) return true',
    planted: 'return true',
    rules: ['two writers', 'order', 'offset back'],
    seedsMax: 300,
  },
  'the end of a request is written without a look at the lease': {
    file: 'packages/kafka/src/network/request-writer.ts',
    line: 'if (this.#hasEnded || !this.#may(maySend)) return',
    planted: 'if (this.#hasEnded) return',
    rules: ['two writers', 'order', 'offset back'],
    seedsMax: 600,
  },
  'fencing is left out': {
    file: 'packages/runtime/src/task/open-delivery.ts',
    line: 'transactionalId: taskTransactionalId(config.groupId, connectorName, taskNumber),',
    planted: 'transactionalId: `${taskTransactionalId(config.groupId, connectorName, taskNumber)}-${Math.random()}`,',
    rules: ['exactly once', 'committed in order', 'committed offset'],
    seedsMax: 300,
  },
  'a retry reorders': {
    file: 'packages/kafka/src/producer/partition-queue.ts',
    line: "    this.putFirst(failed)\n    if (first.failure !== 'sequence')",
    planted:
      '    this.#nextSequence = first.sequence\n' +
      '    for (const each of failed) Object.assign(each, { sequence: NO_SEQUENCE, isStamped: false })\n' +
      '    this.#waiting.push(...failed)\n' +
      "    if (first.failure !== 'sequence')",
    rules: ['order', 'exactly once', 'committed in order', 'offset back', 'early offset'],
    seedsMax: 300,
  },
  'a wake-up is lost': {
    file: 'packages/kafka/src/producer/dispatcher.ts',
    line: '      partition.queue.isPaused = false\n      this.dispatch(partition)',
    planted: '      partition.queue.isPaused = false',
    rules: ['convergence'],
    seedsMax: 300,
  },
}

/** Plants a bug. To be called before the file is loaded. @throws when the file does not contain the line once */
export function plant(name: string): PlantedBug {
  const bug = PLANTED_BUGS[name]
  if (bug === undefined) throw new Error(`the planted bugs are: ${Object.keys(PLANTED_BUGS).join(', ')}`)
  const url = new URL(`../../${bug.file}`, import.meta.url).href
  registerHooks({
    load(loaded, context, nextLoad) {
      const module = nextLoad(loaded, context)
      if (loaded !== url) return module
      const source = Buffer.from(module.source as Uint8Array).toString('utf8')
      if (source.split(bug.line).length !== 2) throw new Error(`${fileURLToPath(url)} does not contain the line once`)
      return { ...module, source: source.replace(bug.line, () => bug.planted) }
    },
  })
  return bug
}
