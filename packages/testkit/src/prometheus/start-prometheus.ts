import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../network/free-port.ts'
import { ServerProcess } from '../process/server-process.ts'
import { temporaryFolder, type TemporaryFolder } from '../process/temporary-folder.ts'
import { prometheusFolder } from './prometheus-programs.ts'

export interface PrometheusOptions {
  /** `host:port` of the servers whose `/metrics` are scraped every second. */
  readonly targets: readonly string[]
  /** Paths of files with rules. */
  readonly ruleFiles: readonly string[]
}

/** A sample of the result of a query. */
export interface PrometheusSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A throw-away Prometheus on loopback, which scrapes and evaluates every second. */
export class PrometheusServer implements AsyncDisposable {
  readonly port: number
  readonly #temporary: TemporaryFolder = temporaryFolder('prometheus')
  #process: ServerProcess | null = null

  constructor(port: number) {
    this.port = port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async start({ targets, ruleFiles }: PrometheusOptions): Promise<void> {
    const { path } = this.#temporary
    const configFile = join(path, 'prometheus.yml')
    // JSON is YAML.
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ruleFiles,
      scrape_configs: [{ job_name: 'tributary', static_configs: [{ targets }] }],
    }
    await writeFile(configFile, JSON.stringify(config))
    this.#process = await ServerProcess.start({
      name: 'Prometheus',
      program: join(await prometheusFolder(), 'usr/bin/prometheus'),
      packageName: 'prometheus',
      args: [
        `--config.file=${configFile}`,
        `--storage.tsdb.path=${join(path, 'data')}`,
        `--web.listen-address=127.0.0.1:${this.port}`,
      ],
      logFile: join(path, 'prometheus.log'),
      isReady: () => this.#isReady(),
    })
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/-/ready`)).ok
    } catch {
      // It does not listen yet.
      return false
    }
  }

  /** The samples of an expression as of now. Rejects with the message of Prometheus for an invalid one. */
  async query(expression: string): Promise<readonly PrometheusSample[]> {
    const { result } = (await this.#api(`query?query=${encodeURIComponent(expression)}`)) as QueryResult
    return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
  }

  /** The states of the alerts by name: `inactive`, `pending` or `firing`. Empty until they are evaluated. */
  async alertStates(): Promise<Readonly<Record<string, string>>> {
    const { groups } = (await this.#api('rules?type=alert')) as RulesResult
    const rules = groups.flatMap((group) => group.rules)
    const broken = rules.find(({ health }) => health === 'err')
    if (broken !== undefined) throw new Error(`The rule ${broken.name} fails: ${broken.lastError ?? ''}`)
    return Object.fromEntries(rules.filter(({ health }) => health === 'ok').map(({ name, state }) => [name, state]))
  }

  async #api(path: string): Promise<unknown> {
    const answer = await fetch(`${this.url}/api/v1/${path}`)
    const { status, data, error } = (await answer.json()) as ApiAnswer
    if (status !== 'success') throw new Error(`Prometheus refuses ${decodeURIComponent(path)}: ${error ?? ''}`)
    return data
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.stop()
    await this.#temporary[Symbol.asyncDispose]()
  }
}

interface ApiAnswer {
  readonly status: string
  readonly data: unknown
  readonly error?: string
}

interface QueryResult {
  readonly result: readonly { readonly metric: Record<string, string>; readonly value: readonly [number, string] }[]
}

interface RulesResult {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly name: string
      readonly state: string
      readonly health: string
      readonly lastError?: string
    }[]
  }[]
}

/** Starts a Prometheus; fetches it from Debian the first time. */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const server = new PrometheusServer(await freePort())
  try {
    await server.start(options)
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
  return server
}
