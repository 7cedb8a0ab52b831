import { DatabaseClient } from '../database/database-client.ts'
import type { DatabasePrograms, Flavor } from '../database/database-programs.ts'
import type { Database, DatabaseServer } from '../database/database-server.ts'
import { mariadbPrograms } from '../database/mariadb-programs.ts'
import { mysqlPrograms } from '../database/mysql-programs.ts'
import { startMariaDb, startMySql } from '../database/start-database.ts'
import { startKafka } from '../kafka/start-kafka.ts'
import { sharedAddress } from './shared-addresses.ts'
import type { SharedDatabaseAddress, SharedKafkaAddress } from './shared-addresses.ts'

/**
 * A server that many tests share: that of the test runner, or, if a test file runs alone, a server of this process,
 * which the first call starts and which ends with the process.
 *
 * A test must use unique names (`uniqueName`) for topics, databases, groups and server ids, and must not change global
 * state: no restarts, no global variables, no purged binlogs, no long locks. A test that needs those starts its own
 * server.
 */
export function useKafka(): Promise<SharedKafkaAddress> {
  return (kafka ??= findKafka())
}

/** A shared MySQL as `startMySql()` starts it; see `useKafka`. */
export function useMySql(): Promise<Database> {
  return (mysql ??= findDatabase('mysql', mysqlPrograms, startMySql))
}

/** A shared MariaDB as `startMariaDb()` starts it; see `useKafka`. */
export function useMariaDb(): Promise<Database> {
  return (mariadb ??= findDatabase('mariadb', mariadbPrograms, startMariaDb))
}

let kafka: Promise<SharedKafkaAddress> | undefined
let mysql: Promise<Database> | undefined
let mariadb: Promise<Database> | undefined

async function findKafka(): Promise<SharedKafkaAddress> {
  return sharedAddress('kafka') ?? ownedByProcess(await startKafka())
}

async function findDatabase(
  flavor: Flavor,
  programs: () => Promise<DatabasePrograms>,
  start: () => Promise<DatabaseServer>,
): Promise<Database> {
  const address = sharedAddress(flavor)
  return address === undefined ? ownedByProcess(await start()) : remoteDatabase(await programs(), address)
}

const owned: AsyncDisposable[] = []

/**
 * Ends the server when the process has nothing left to do. If the process ends otherwise, the kernel ends the server.
 */
function ownedByProcess<T extends AsyncDisposable>(server: T): T {
  if (owned.length === 0) {
    process.once('beforeExit', () => {
      for (const one of owned) void one[Symbol.asyncDispose]()
    })
  }
  owned.push(server)
  return server
}

function remoteDatabase(programs: DatabasePrograms, address: SharedDatabaseAddress): Database {
  const client = new DatabaseClient(programs, address.port)
  return {
    flavor: programs.flavor,
    host: '127.0.0.1',
    ...address,
    query: (sql, user) => client.query(sql, user),
    connect: (user, options) => client.connect(user, options),
    cli: (args, options) => client.cli(args, options),
    clientCommand: (args) => client.clientCommand(args),
    mysqlbinlog: (args, options) => client.mysqlbinlog(args, options),
  }
}
