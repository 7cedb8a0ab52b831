import { join } from 'node:path'
import { FAST_START } from '../kafka/run-java.ts'
import { freePort } from '../network/free-port.ts'
import { javaProgram } from '../provision/java.ts'
import { ServerProcess } from '../process/server-process.ts'
import { temporaryFolder, type TemporaryFolder } from '../process/temporary-folder.ts'
import { apicurioVersion, registryFolder } from './registry-files.ts'

/** A throw-away schema registry on loopback. It keeps its schemas in memory, so it is empty after a restart. */
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
      program: await javaProgram(),
      args: ['-Xmx384m', ...FAST_START, ...settings, '-jar', jar],
      cwd: folder,
      logFile: join(this.#temporary.path, 'registry.log'),
      isReady: () => this.#answers(),
      // It starts in 13 s on an idle machine.
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

  /** Sends a request to its Confluent interface and returns status and document, also of an error. */
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

  /** Suspends the process: the kernel still accepts connections, but no request is answered. */
  async pause(): Promise<void> {
    await this.#process?.kill('SIGSTOP')
  }

  /** Continues a suspended process. */
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
