import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { kafkaClassPath } from '../kafka/kafka-jars.ts'
import { FAST_START, logSettings } from '../kafka/run-java.ts'

export interface JavaTlsAttempt {
  readonly host: string
  readonly port: number
  /** What the server answers. */
  readonly request: Buffer
  /** `ssl.…` of Kafka's Java client. */
  readonly properties: Readonly<Record<string, string>>
}

const LOG_LENGTH_MAX = 4000

/** Kafka's Java client as far as TLS: one Java process for many attempts. Needs a JDK, which compiles the program. */
export class JavaTlsClient implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>
  #log = ''
  readonly #lines: AsyncIterator<string>

  private constructor(classPath: string) {
    const program = fileURLToPath(new URL('../../tls/TlsClient.java', import.meta.url))
    const args = ['-Xmx256m', ...FAST_START, ...logSettings('ERROR'), '-cp', classPath, program]
    this.#process = spawn('java', args, { stdio: 'pipe' })
    // Java also logs the errors that it throws.
    this.#process.stderr.on(
      'data',
      (text: Buffer) => (this.#log = (this.#log + text.toString()).slice(-LOG_LENGTH_MAX)),
    )
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  static async start(): Promise<JavaTlsClient> {
    return new JavaTlsClient(await kafkaClassPath())
  }

  /** Returns `accepted`, or `refused` with Java's reason. */
  async attempt({ host, port, request, properties }: JavaTlsAttempt): Promise<string> {
    const values = Object.entries(properties).map(
      ([name, value]) => `${name}=${value.replaceAll('\n', String.raw`\n`)}`,
    )
    this.#process.stdin.write(`${[host, port, request.toString('hex'), ...values].join('\t')}\n`)
    const line = await this.#lines.next()
    if (line.done === true) throw new Error(`the Java process has ended: ${this.#log}`)
    return line.value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'close')
    this.#process.stdin.end()
    await ended
  }
}
