import { join } from 'node:path'
import { startBroker } from '@tributary/broker'
import { databaseAccounts, startKafka, startMariaDb, startMySql, type DatabaseServer } from '@tributary/testkit'
import { doneOr } from '@tributary/support'
import type { DatabaseAddress, DemoOptions } from './options.ts'

/** The servers that the demo runs on. */
export interface Stage {
  readonly database: StageDatabase
  /** `host:port` of the broker. */
  readonly kafka: string
  /** True: the demo started the broker and discards it. False: the demo removes its topics. */
  readonly isKafkaOurs: boolean
}

export interface StageDatabase {
  /** The user who creates and changes the sample. */
  readonly admin: DatabaseAddress
  /** The user of the connector. */
  readonly connector: DatabaseAddress
  readonly isOurs: boolean
  /** The command of the server's client program; null for the user's server. */
  readonly client: readonly string[] | null
}

/**
 * Starts the servers that the user does not provide, both at once. The stack stops them.
 *
 * @param folder of the demo
 */
export async function setStage(
  options: DemoOptions,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Stage> {
  const starting = Promise.all([findDatabase(options, stack), findKafka(options, folder, stack)])
  const [database, kafka] = await doneOr(starting, signal)
  return { database, kafka, isKafkaOurs: options.broker.tag !== 'own' }
}

async function findKafka({ broker }: DemoOptions, folder: string, stack: AsyncDisposableStack): Promise<string> {
  switch (broker.tag) {
    case 'own':
      return broker.address
    case 'kafka':
      return (await owned(startKafka(), stack)).bootstrapServers.join(',')
    case 'development': {
      const starting = startBroker({ storage: { tag: 'folder', path: join(folder, 'broker') } })
      return (await owned(starting, stack)).bootstrapServers
    }
  }
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

/** Puts a server on the stack before it has started, so that the stack also stops a server that is still starting. */
function owned<T extends AsyncDisposable>(starting: Promise<T>, stack: AsyncDisposableStack): Promise<T> {
  stack.defer(async () => {
    // The caller reports why the server did not start.
    const server = await starting.catch(() => null)
    await server?.[Symbol.asyncDispose]()
  })
  return starting
}

function addressOf({ host, port }: DatabaseServer): Pick<DatabaseAddress, 'host' | 'port'> {
  return { host, port }
}
