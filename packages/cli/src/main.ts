import { Command, InvalidArgumentError } from 'commander'
import { CONVERTERS_VERSION } from '@tributary/converters'
import type { WatchOptions } from './commands/watch.ts'

const program = new Command('tributary')
  .description(
    'Change data capture from MySQL and MariaDB to Kafka: what Kafka Connect with Debezium does, as one program',
  )
  .version(CONVERTERS_VERSION)

program
  .command('start')
  .description('run a worker: REST interface on port 8083, connectors and their tasks')
  .argument(
    '[properties-file]',
    'settings in the format of connect-distributed.properties; the environment goes over it',
  )
  .addHelpText(
    'after',
    `
Settings from the environment (as the Debezium image takes them):
  BOOTSTRAP_SERVERS       brokers, host:port, separated by commas      (required)
  CONFIG_STORAGE_TOPIC    topic for connector configurations           (required)
  OFFSET_STORAGE_TOPIC    topic for offsets                            (required)
  STATUS_STORAGE_TOPIC    topic for statuses                           (connect-status)
  GROUP_ID                name of the group of workers                 (1)
  REST_HOST_NAME          address of the REST interface                (all)
  REST_PORT               port of the REST interface                   (8083)
  CONNECT_<NAME>          any other worker property: CONNECT_OFFSET_FLUSH_INTERVAL_MS=10000
  LOG_LEVEL, LOG_FORMAT   debug|info|warn|error, text|json             (info, text)

Example:
  BOOTSTRAP_SERVERS=localhost:9092 CONFIG_STORAGE_TOPIC=configs OFFSET_STORAGE_TOPIC=offsets tributary start`,
  )
  .action(async (propertiesFile: string | undefined) => {
    // Loaded when it is asked for: the database and the connectors are half a second that watching a topic does not need.
    const { start } = await import('./commands/start.ts')
    end(await start(propertiesFile, process.env))
  })

program
  .command('watch')
  .description('show the records of a topic as they come: for looking, not for applications')
  .argument('<topic>', 'its name: <topic.prefix>.<database>.<table>')
  .option('-a, --from-beginning', 'all that the topic holds, then what comes; else only what comes')
  .option('-k, --with-keys', "each record's key, before its value")
  .option('--bootstrap-server <host:port>', 'broker to begin with; else BOOTSTRAP_SERVERS of the environment')
  .option('--max-messages <n>', 'end after so many records', wholeNumber)
  .option('--timeout-ms <n>', 'end when nothing came for so long', wholeNumber)
  .addHelpText(
    'after',
    `
On a terminal documents are indented and coloured (NO_COLOR=1: not coloured). In a pipe each record is a line with its
bytes unchanged: the value, or with -k the key, a tab, the value. A tombstone is {"schema":null,"payload":null}, a null
key is null. It runs until Ctrl-C. Security settings are those of the worker (CONNECT_SECURITY_PROTOCOL, …).

Examples:
  tributary watch -a -k --bootstrap-server localhost:9092 dbserver1.inventory.customers
  tributary watch -a --timeout-ms 2000 dbserver1.inventory.customers | jq -c '.payload | [.op, .after]'
  tributary watch -a --max-messages 1 dbserver1.inventory.customers`,
  )
  .action(async (topic: string, options: WatchOptions) => {
    const { watch } = await import('./commands/watch.ts')
    end(await watch(topic, options, process.env))
  })

await program.parseAsync()

/**
 * All is closed and written. The process does not wait for its own end: Node 24 was seen to spin for ever while it cleaned up
 * (Environment::CleanupHandles, for a request that never ends), and signals that have a handler do not end it then.
 */
function end(code: number): never {
  process.exit(code)
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number > 0 && Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('A whole number above 0 is expected.')
}
