import { ConfigDef, NO_HEADERS } from '@tributary/connect-api'
import type {
  ConfigMap,
  Converter,
  HeaderConverter,
  Plugin,
  PollResult,
  SourceConnector,
  SourceOffset,
  SourcePartition,
  SourceRecord,
  SourceTask,
  SourceTaskContext,
  ValueEncoder,
} from '@tributary/connect-api'
import { assert, type ByteWriter } from '@tributary/support'
import type { Database, Session } from './database.ts'
import type { Domain, Scheduler } from './scheduler.ts'

export const SOURCE_CLASS = 'org.example.SimulatedSource'
const RECORDS_MAX = 20

/** What the simulation sees of the tasks that run. */
export interface SourceWatch {
  readonly database: Database
  readonly scheduler: Scheduler
  /** Partitions of each topic. */
  readonly partitions: number
  /** Called when a task has read its offset. Returns a number of its own for this run of the task. */
  onStart(run: { readonly source: string; readonly after: number; readonly domain: Domain }): number
  onStop(run: number): void
  /** A run needs the change after that one, which was removed from the binlog. */
  onPurged(run: number, source: string, after: number): void
}

/** The topic of a source. */
export function topicOf(source: string): string {
  return `data.${source}`
}

/** The value of a record: the number of the change, and the run of the task that has read it. */
export interface SeenChange {
  readonly change: number
  readonly run: number
}

export function parseChange(value: string): SeenChange {
  const [change, run] = value.split('|').map(Number)
  if (change === undefined || run === undefined) throw new RangeError(`no change: ${value}`)
  return { change, run }
}

class SimulatedSource implements SourceConnector {
  config(): ConfigDef {
    return new ConfigDef([])
  }

  validate(): Promise<Readonly<Record<string, readonly string[]>>> {
    return Promise.resolve({})
  }

  exactlyOnceSupport(): boolean {
    return true
  }

  taskConfigs(config: ConfigMap, tasksMax: number): readonly ConfigMap[] {
    return Array.from({ length: tasksMax }, (_, task) => ({ ...config, source: `${config['name']}-${task}` }))
  }
}

class SimulatedTask implements SourceTask {
  readonly #watch: SourceWatch
  readonly #domain: Domain
  #source = ''
  #partition: SourcePartition = {}
  #after = 0
  #run = 0
  #session: Session | null = null

  constructor(watch: SourceWatch, domain: Domain) {
    this.#watch = watch
    this.#domain = domain
  }

  async start(context: SourceTaskContext): Promise<void> {
    this.#source = context.config['source'] ?? ''
    this.#partition = { source: this.#source }
    this.#after = Number(context.storedOffset(this.#partition)?.['change'] ?? 0)
    this.#run = this.#watch.onStart({ source: this.#source, after: this.#after, domain: this.#domain })
  }

  async poll(signal: AbortSignal): Promise<PollResult> {
    const { database } = this.#watch
    try {
      this.#session ??= await database.connect(this.#domain, signal)
      const last = await database.read(this.#session, this.#source, this.#after, { max: RECORDS_MAX, signal })
      return this.#records(last)
    } catch (error) {
      this.#session?.close()
      this.#session = null
      if (error instanceof Error && 'code' in error && error.code === 'DATABASE_PURGED') {
        this.#watch.onPurged(this.#run, this.#source, this.#after)
      }
      throw error
    }
  }

  #records(last: number): PollResult {
    const records: SourceRecord[] = []
    for (let change = this.#after + 1; change <= last; change++) records.push(this.#record(change))
    this.#after = last
    return { records, progress: null, hasMore: records.length === RECORDS_MAX }
  }

  #record(change: number): SourceRecord {
    return {
      sourcePartition: this.#partition,
      sourceOffset: new ChangeOffset(change),
      topic: topicOf(this.#source),
      partition: change % this.#watch.partitions,
      keySchema: null,
      key: `${change % 7}`,
      valueSchema: null,
      value: `${change}|${this.#run}`,
      timestamp: null,
      headers: NO_HEADERS,
    }
  }

  async stop(): Promise<void> {
    this.#session?.close()
    this.#session = null
    this.#watch.onStop(this.#run)
  }
}

class ChangeOffset implements SourceOffset {
  readonly #change: number

  constructor(change: number) {
    this.#change = change
  }

  toDocument(): { readonly change: number } {
    return { change: this.#change }
  }
}

class TextConverter implements Converter {
  configure(): void {
    // It has no options.
  }

  encoderFor(): ValueEncoder {
    return {
      prefix: NO_PREFIX,
      write: (value, out: ByteWriter) => {
        if (value === null) return false
        assert(typeof value === 'string', 'simulated records contain text')
        out.utf8(value)
        return true
      },
    }
  }
}

const NO_PREFIX = new Uint8Array(0)

const headerConverter: HeaderConverter = { configure: () => undefined, write: () => false }

/** The plug-ins of a simulated worker. The domain of a task is that of the code that creates it. */
export function sourcePlugins(watch: SourceWatch): readonly Plugin[] {
  return [
    {
      type: 'source',
      className: SOURCE_CLASS,
      version: '1',
      taskClassName: 'org.example.SimulatedSourceTask',
      createConnector: () => new SimulatedSource(),
      createTask: () => {
        const domain = watch.scheduler.current
        assert(domain !== null, 'a task is created by a simulated thread')
        return Promise.resolve(new SimulatedTask(watch, domain))
      },
    },
    { type: 'converter', className: 'Text', version: '1', create: () => new TextConverter() },
    { type: 'header_converter', className: 'TextHeaders', version: '1', create: () => headerConverter },
  ]
}
