import { join } from 'node:path'
import { FAST_START } from '../kafka/run-java.ts'
import { freePort } from '../network/free-port.ts'
import { ServerProcess } from '../process/server-process.ts'
import { temporaryFolder, type TemporaryFolder } from '../process/temporary-folder.ts'
import { apicurioVersion, registryFolder } from './registry-files.ts'

/** A throw-away schema registry on loopback; it keeps its schemas in memory, so that one that is started again is empty. */
export class RegistryServer implements AsyncDisposable {
  readonly port: number
  readonly #temporary: TemporaryFolder = temporaryFolder('registry')
  #process: ServerProcess | null = null

  constructor(port: number) {
    this.port = port
  }

  /** For `apicurio.registry.url`. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** For `schema.registry.url`. */
  get confluentUrl(): string {
    return `${this.url}/apis/ccompat/v7`
  }

  get isRunning(): boolean {
    return this.#process?.isRunning ?? false
  }

  async start(): Promise<void> {
    const folder = await registryFolder()
    const settings = [`-Dquarkus.http.port=${this.port}`, '-Dquarkus.http.host=127.0.0.1']
    const jar = join(folder, `apicurio-registry-app-${apicurioVersion}-runner.jar`)
    this.#process = await ServerProcess.start({
      name: 'Apicurio Registry',
      program: 'java',
      packageName: 'openjdk-17-jre-headless',
      args: ['-Xmx384m', ...FAST_START, ...settings, '-jar', jar],
      cwd: folder,
      logFile: join(this.#temporary.path, 'registry.log'),
      isReady: () => this.#answers(),
      // Alone it starts in 13 s.
      readyTimeoutMs: 180_000,
    })
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.confluentUrl}/subjects`)).ok
    } catch {
      // It does not listen yet.
      return false
    }
  }

  /** A request to the interface of Confluent's registry; gives the document, whatever the status. */
  async request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly json: unknown }> {
    const answer = await fetch(this.confluentUrl + path, {
      method,
      headers: { 'Content-Type': 'application/vnd.schemaregistry.v1+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: await answer.json() }
  }

  async stop(): Promise<void> {
    await this.#process?.stop()
    this.#process = null
  }

  /** Makes it deaf until it is woken: connections are taken and not answered. */
  async pause(): Promise<void> {
    await this.#process?.kill('SIGSTOP')
  }

  async wake(): Promise<void> {
    await this.#process?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.#temporary[Symbol.asyncDispose]()
  }
}

/** Starts Apicurio Registry and waits until it answers. */
export async function startRegistry(): Promise<RegistryServer> {
  const server = new RegistryServer(await freePort())
  try {
    await server.start()
    return server
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}
