import { startDevBroker } from '../broker/start-dev-broker.ts'
import type { DevBrokerOptions, DevBrokerServer } from '../broker/start-dev-broker.ts'
import { DatabaseClient } from '../database/database-client.ts'
import type { DatabasePrograms, Flavor } from '../database/database-programs.ts'
import type { Database, DatabaseServer } from '../database/database-server.ts'
import { mariadbPrograms } from '../database/mariadb-programs.ts'
import { mysqlPrograms } from '../database/mysql-programs.ts'
import { startMariaDb, startMySql } from '../database/start-database.ts'
import type { KafkaBroker } from '../kafka/kafka-broker.ts'
import { startKafka } from '../kafka/start-kafka.ts'
import { sharedAddress } from './shared-addresses.ts'
import type { SharedDatabaseAddress, SharedKafkaAddress } from './shared-addresses.ts'

/** `kafka`: `useKafka()` is Apache Kafka. Otherwise it is the development broker. */
const BROKER_VARIABLE = 'TRIBUTARY_TEST_BROKER'

/** The environment variable that makes `useKafka()` return the development broker or Apache Kafka. */
export function brokerEnvironment(broker: 'dev-broker' | 'kafka'): Record<string, string> {
  return { [BROKER_VARIABLE]: broker }
}

/**
 * A broker that many tests share: that of the test runner, or, if a test file runs alone, a broker of this process,
 * which the first call starts and which ends with the process. It is the development broker, or Apache Kafka with
 * `TRIBUTARY_TEST_BROKER=kafka` (docs/adr/0087-the-brokers-of-the-test-tiers.md). A test must pass on both; one that
 * needs Kafka itself uses `useRealKafka()`.
 *
 * A test must use unique names (`uniqueName`) for topics, databases, groups and server ids, and must not change global
 * state: no restarts, no global variables, no purged binlogs, no long locks. A test that needs those starts its own
 * server.
 */
export function useKafka(): Promise<SharedKafkaAddress> {
  return process.env[BROKER_VARIABLE] === 'kafka' ? useRealKafka() : (devBroker ??= findDevBroker())
}

/** A broker that ends with the test that has started it. */
export interface OwnBroker extends Omit<DevBrokerServer, 'brokers' | 'pid'> {
  readonly brokers: readonly Pick<KafkaBroker, 'start' | 'stop' | 'kill'>[]
}

/**
 * A broker of its own for a test that needs to know all topics, a fault proxy in front of the broker, or to restart it.
 * It is that of the tier, as by `useKafka()`.
 */
export function startOwnBroker({
  behindProxy = false,
  createsTopics = true,
}: DevBrokerOptions = {}): Promise<OwnBroker> {
  return process.env[BROKER_VARIABLE] === 'kafka'
    ? startKafka({ behindProxy, config: { 'auto.create.topics.enable': String(createsTopics) } })
    : startDevBroker({ behindProxy, createsTopics })
}

/**
 * Apache Kafka, shared as by `useKafka()`, for tests that need it in every tier. Each caller states why, as a comment or
 * in the names of its tests: Kafka is the judge, or the tests are about what the development broker does not have, or
 * they are those that keep an area on Kafka in the fast tier.
 */
export function useRealKafka(): Promise<SharedKafkaAddress> {
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
let devBroker: Promise<SharedKafkaAddress> | undefined
let mysql: Promise<Database> | undefined
let mariadb: Promise<Database> | undefined

async function findKafka(): Promise<SharedKafkaAddress> {
  return (await sharedAddress('kafka')) ?? ownedByProcess(await startKafka())
}

async function findDevBroker(): Promise<SharedKafkaAddress> {
  return (await sharedAddress('devBroker')) ?? ownedByProcess(await startDevBroker())
}

async function findDatabase(
  flavor: Flavor,
  programs: () => Promise<DatabasePrograms>,
  start: () => Promise<DatabaseServer>,
): Promise<Database> {
  const address = await sharedAddress(flavor)
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
