import { databaseAccounts, startKafka, startMariaDb, startMySql, type DatabaseServer } from '@tributary/testkit'
import { doneOr } from '@tributary/support'
import type { DatabaseAddress, DemoOptions } from './options.ts'

/** The servers that the demo plays on. */
export interface Stage {
  readonly database: StageDatabase
  /** `host:port` of the broker. */
  readonly kafka: string
  /** It and what is in it is thrown away; else the demo removes what it made. */
  readonly isKafkaOurs: boolean
}

export interface StageDatabase {
  /** The user who creates and changes the sample. */
  readonly admin: DatabaseAddress
  /** The user as whom the connector logs in. */
  readonly connector: DatabaseAddress
  readonly isOurs: boolean
  /** Calls the server's own client program; null for a visitor's server. */
  readonly client: readonly string[] | null
}

/** Starts what the visitor has not, both at once; it is ended with the stack. */
export async function setStage(options: DemoOptions, stack: AsyncDisposableStack, signal: AbortSignal): Promise<Stage> {
  const [database, kafka] = await doneOr(Promise.all([findDatabase(options, stack), findKafka(options, stack)]), signal)
  return { database, kafka, isKafkaOurs: options.kafka === null }
}

async function findKafka({ kafka }: DemoOptions, stack: AsyncDisposableStack): Promise<string> {
  return kafka ?? (await owned(startKafka(), stack)).bootstrapServers.join(',')
}

async function findDatabase({ database, flavor }: DemoOptions, stack: AsyncDisposableStack): Promise<StageDatabase> {
  if (database !== null) return { admin: database, connector: database, isOurs: false, client: null }
  const server = await owned(flavor === 'mysql' ? startMySql() : startMariaDb(), stack)
  const { program, args } = server.clientCommand([])
  return {
    admin: { ...addressOf(server), ...databaseAccounts.root },
    connector: { ...addressOf(server), ...databaseAccounts.debezium },
    isOurs: true,
    client: [program, ...args],
  }
}

/** Ends a server with the stack, also one that is still starting by then. */
function owned<T extends AsyncDisposable>(starting: Promise<T>, stack: AsyncDisposableStack): Promise<T> {
  stack.defer(async () => {
    // Why it did not start is told to whoever waits for it.
    const server = await starting.catch(() => null)
    await server?.[Symbol.asyncDispose]()
  })
  return starting
}

function addressOf({ host, port }: DatabaseServer): Pick<DatabaseAddress, 'host' | 'port'> {
  return { host, port }
}
