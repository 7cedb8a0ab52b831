import { get } from 'node:http'
import { text } from 'node:stream/consumers'

/** The servers that the test processes of a runner share, and the program that they test. */
export interface SharedAddresses {
  /** Apache Kafka. */
  readonly kafka: SharedKafkaAddress
  /** The development broker. */
  readonly devBroker: SharedKafkaAddress
  readonly mysql: SharedDatabaseAddress
  readonly mariadb: SharedDatabaseAddress
  /** Tributary itself. */
  readonly program: SharedProgram
}

export type SharedName = keyof SharedAddresses

export interface SharedKafkaAddress {
  readonly bootstrapServers: string[]
}

export interface SharedProgram {
  /** The path of its entry file. */
  readonly entry: string
}

export interface SharedDatabaseAddress {
  readonly port: number
  readonly version: string
  readonly dataFolder: string
}

/** The port of SharedServers, which answers with the addresses of the shared servers. */
export const PORT_VARIABLE = 'TRIBUTARY_TEST_SERVERS'

/**
 * The server of the runner, which starts it for the first test process that asks; undefined if this process has no
 * runner. Rejects with the error of the start.
 */
export async function sharedAddress<K extends SharedName>(name: K): Promise<SharedAddresses[K] | undefined> {
  const port = process.env[PORT_VARIABLE] ?? ''
  if (port === '') return undefined
  const { status, body } = await ask(`http://127.0.0.1:${port}/${name}`)
  if (status !== 200) throw new Error(body)
  // SharedServers of the same checkout wrote it in the same run.
  return JSON.parse(body) as SharedAddresses[K]
}

function ask(url: string): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    // Without an agent, no connection stays open and keeps the test process alive.
    get(url, { agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    }).on('error', reject)
  })
}
