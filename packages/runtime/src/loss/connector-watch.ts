import type { ConfigMap, LossForecast, LossProbe, SourcePartition } from '@tributary/connect-api'
import type { TimeToLoss } from '@tributary/rest-api'
import { type Clock, describeError, type Logger, type Permits, StoppedError, toError } from '@tributary/support'
import { ConfigProviders, presentConfig, type ResolvedConfig } from '../config/providers/config-providers.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { partitionText } from '../storage/offset-record.ts'
import type { OffsetStore } from '../storage/offset-store.ts'
import { durationText } from './duration-text.ts'
import { effectiveThresholds, LossWarnings } from './loss-warnings.ts'

export interface ConnectorWatchOptions {
  readonly name: string
  /** As it is stored, with references. */
  readonly config: ConfigMap
  readonly plugins: Plugins
  readonly offsets: OffsetStore
  /** With references, and `config.providers`. */
  readonly workerProperties: ConfigMap
  readonly clock: Clock
  readonly logger: Logger
  /** Before the first measurement. */
  readonly delayMs: number
  /** Shared by all watches of a worker. */
  readonly permits: Permits
}

/** For a configuration from which no probe can be made. */
const INTERVAL_MS_DEFAULT = 60_000

/**
 * Measures at intervals how long the source of one connector keeps what the connector needs, and warns. It knows nothing
 * of tasks: it continues while they are paused, stopped, failed, or wait for Kafka. The stored offset is that of the
 * worker's offset store, which keeps the last known one while Kafka cannot be reached.
 *
 * One loop owns it; `read` is answered from memory.
 */
export class ConnectorWatch implements AsyncDisposable {
  readonly config: ConfigMap
  readonly #options: ConnectorWatchOptions
  readonly #stop = new AbortController()
  readonly #warnings = new LossWarnings()
  #probe: { readonly key: string; readonly probe: LossProbe | null } | null = null
  #last: { readonly forecast: LossForecast; readonly atMs: number } | null = null
  /** Why the last measurement failed; null when it did not. */
  #failure: string | null = null
  #isLost = false
  #done: Promise<void>

  constructor(options: ConnectorWatchOptions) {
    this.config = options.config
    this.#options = options
    this.#done = this.#run(this.#stop.signal)
  }

  read(): TimeToLoss {
    const nowMs = this.#options.clock.now()
    const { forecast, atMs } = this.#last ?? { forecast: null, atMs: null }
    const seconds = this.#seconds(nowMs)
    const until = (ms: number | null): number | null =>
      ms === null ? null : Math.max(0, Math.floor((ms - nowMs) / 1000))
    return {
      status: this.#status(seconds),
      seconds,
      running_out: seconds !== null && forecast?.state === 'kept' && this.#isRunningOut(forecast),
      expected_seconds: until(forecast?.expectedMs ?? null),
      bytes: forecast?.bytes ?? null,
      files: forecast?.files ?? null,
      needed_file: forecast?.neededFile ?? null,
      backlog_bytes: forecast?.backlogBytes ?? null,
      backlog_files: forecast?.backlogFiles ?? null,
      growth_bytes_per_second: forecast?.growthBytesPerSecond ?? null,
      retention_seconds: forecast?.retentionSeconds ?? null,
      retention: forecast?.retention ?? [],
      notes: this.#notes(forecast),
      problem: forecast?.problem ?? this.#failure,
      measured_at: atMs,
      age_seconds: atMs === null ? null : Math.floor((nowMs - atMs) / 1000),
    }
  }

  #seconds(nowMs: number): number | null {
    const forecast = this.#last?.forecast
    if (forecast === undefined || forecast.state === 'unknown') return null
    if (forecast.state === 'lost') return 0
    return forecast.earliestMs === null ? null : Math.max(0, Math.floor((forecast.earliestMs - nowMs) / 1000))
  }

  /** What the source does is not known while it cannot be asked: the time counts. */
  #isRunningOut({ isRunningOut }: LossForecast): boolean {
    return isRunningOut || this.#failure !== null
  }

  #status(seconds: number | null): TimeToLoss['status'] {
    const forecast = this.#last?.forecast
    if (forecast === undefined || forecast.state === 'unknown') return 'unknown'
    if (forecast.state === 'lost') return 'lost'
    if (seconds === null) {
      // The server may have got another setting since the last measurement.
      if (this.#failure !== null) return 'unknown'
      // A limit in bytes remains one while the server writes nothing.
      return forecast.bytes === null ? 'unlimited' : 'ok'
    }
    return this.#warnings.isPassed ? 'warning' : 'ok'
  }

  #notes(forecast: LossForecast | null): readonly string[] {
    if (this.#probe?.probe?.intervalMs === 0)
      return ['The measurement is switched off (binlog.loss.check.interval.ms=0).']
    if (forecast === null) return ['Nothing has been measured yet.']
    if (this.#failure === null) return forecast.notes
    return [
      ...forecast.notes,
      'The last measurement failed: the answer is that of an earlier one, and may be out of date.',
    ]
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.clock.sleep(this.#options.delayMs, signal)
      for (;;) {
        await this.#options.permits.run(() => this.#turn(signal), signal)
        await this.#options.clock.sleep(this.#intervalMs, signal)
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  }

  get #intervalMs(): number {
    const intervalMs = this.#probe?.probe?.intervalMs ?? INTERVAL_MS_DEFAULT
    // A changed configuration starts another watch. References may get other values meanwhile.
    return intervalMs === 0 ? INTERVAL_MS_DEFAULT : intervalMs
  }

  /** One measurement. Its errors contain references instead of secrets. */
  async #turn(signal: AbortSignal): Promise<void> {
    let resolved: ResolvedConfig | null = null
    try {
      resolved = ConfigProviders.of(this.#options.workerProperties).resolve(this.config)
      const probe = this.#probeFor(presentConfig(resolved), resolved.mask.logger(this.#options.logger))
      if (probe === null || probe.intervalMs === 0) return
      const forecast = await probe.measure((partition) => this.#storedOffset(partition), signal)
      this.#last = { forecast: masked(forecast, resolved), atMs: this.#options.clock.now() }
      this.#reportSuccess()
    } catch (thrown) {
      if (thrown instanceof StoppedError && signal.aborted) throw thrown
      const error = toError(thrown)
      this.#reportFailure(describeError(resolved === null ? error : resolved.mask.error(error)))
    }
    this.#warn()
  }

  /** Null: the connector's class has no probe. It is kept as long as the configuration has the same values. */
  #probeFor(config: ConfigMap, logger: Logger): LossProbe | null {
    const key = JSON.stringify(config)
    if (this.#probe?.key !== key) {
      const { plugins, clock } = this.#options
      const connector = plugins.source(config['connector.class'] ?? '')?.createConnector()
      this.#probe = { key, probe: connector?.lossProbe?.(config, { clock, logger }) ?? null }
    }
    return this.#probe.probe
  }

  #storedOffset(partition: SourcePartition): ReturnType<OffsetStore['offsets']>[number]['offset'] | null {
    const { offsets, name } = this.#options
    const wanted = partitionText(partition)
    return offsets.offsets(name).find((each) => partitionText(each.partition) === wanted)?.offset ?? null
  }

  #reportSuccess(): void {
    if (this.#failure === null) return
    this.#failure = null
    this.#log('info', 'The time until the server purges the binlog that it needs is measured again')
  }

  #reportFailure(reason: string): void {
    const isNew = this.#failure === null
    this.#failure = reason
    if (!isNew) return
    const known = this.#last === null ? 'is not known' : 'counts from the last measurement'
    this.#log(
      'warn',
      `The time until the server purges the binlog that it needs cannot be measured, and ${known}: ${reason}`,
    )
  }

  #warn(): void {
    const forecast = this.#last?.forecast
    const probe = this.#probe?.probe
    if (forecast === undefined || probe === undefined || probe === null) return
    this.#warnOfLoss(forecast)
    if (forecast.state !== 'kept') return
    const seconds = this.#seconds(this.#options.clock.now())
    const passed = this.#warnings.next({
      seconds,
      isRunningOut: this.#isRunningOut(forecast),
      thresholds: effectiveThresholds(probe.warningSeconds, forecast.retentionSeconds),
    })
    if (passed === null || seconds === null) return
    const rules = forecast.retention.length === 0 ? '' : ` (${forecast.retention.join(', ')})`
    this.#log(
      'warn',
      `The server may purge ${forecast.neededFile ?? 'the binlog'}, which the connector still needs, in ${durationText(seconds)}${rules}. Let the connector run and catch up before, or let the server keep its binlog longer; after that, only a new snapshot helps.`,
    )
  }

  #warnOfLoss({ state, problem }: LossForecast): void {
    const isLost = state === 'lost'
    if (isLost && !this.#isLost) this.#log('error', problem ?? 'The server has purged the binlog that it needs.')
    this.#isLost = isLost
  }

  #log(level: 'info' | 'warn' | 'error', text: string): void {
    const { logger, name } = this.#options
    logger[level](`Connector ${name}: ${text}`, { connectorName: name })
  }

  /** Ends a measurement in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#done
  }
}

/** Texts of a server may contain values of the configuration. */
function masked(forecast: LossForecast, { mask }: ResolvedConfig): LossForecast {
  const { notes, problem } = forecast
  return {
    ...forecast,
    notes: notes.map((note) => mask.text(note)),
    problem: problem === null ? null : mask.text(problem),
  }
}
