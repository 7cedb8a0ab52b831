import { Command, InvalidArgumentError } from 'commander'
import { addConnectorCommands } from './connector-commands.ts'
import { EXIT } from './process/exit-code.ts'
import { PROGRAM_VERSION } from './version.ts'
import type { CheckOptions } from './commands/check.ts'
import type { WatchOptions } from './commands/watch.ts'

/** Ends the process with the code of a command. */
export type End = (code: number) => void

/** The command line: every command with its help. What a command needs is loaded when it is run. */
export function createProgram(end: End): Command {
  const program = new Command('tributary')
    .description(
      'Change data capture from MySQL and MariaDB to Kafka: what Kafka Connect with Debezium does, as one program',
    )
    .version(PROGRAM_VERSION)
    // Of its own accord commander ends with 1, which stands for what the service refuses.
    .exitOverride(({ exitCode }) => end(exitCode === 0 ? EXIT.ok : EXIT.usage))
    .addHelpText(
      'after',
      `
Exit codes: 0 done; 1 refused, failed or not done in time; 2 the command line or a file it names cannot be used;
3 no service answers, or something else in its place.

Examples:
  tributary check connector.json
  tributary start connect-distributed.properties
  tributary connectors create connector.json --wait
  tributary watch -a --bootstrap-server localhost:9092 shop.shop.customers`,
    )
  addStart(program, end)
  addConnectorCommands(program, end)
  addCheck(program, end)
  addWatch(program, end)
  return program
}

function addStart(program: Command, end: End): void {
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

Examples:
  BOOTSTRAP_SERVERS=localhost:9092 CONFIG_STORAGE_TOPIC=configs OFFSET_STORAGE_TOPIC=offsets tributary start
  tributary start connect-distributed.properties`,
    )
    .action(async (propertiesFile: string | undefined) => {
      // Loaded when it is asked for: the database and the connectors are half a second that watching a topic does not need.
      const { start } = await import('./commands/start.ts')
      end(await start(propertiesFile, process.env))
    })
}

function addCheck(program: Command, end: End): void {
  program
    .command('check')
    .description('look at a database as a connector would: what is wrong, and the statement that mends it')
    .argument('<file>', 'the document of a connector, as for connectors create; - is standard input')
    .option('--name <name>', 'of the connector, when the file has none')
    .option('--json', 'the report as one JSON document')
    .addHelpText(
      'after',
      `
Nothing is registered and nothing is changed; neither a worker nor Kafka is needed. References to secrets
(\${file:/path:key}) are resolved by the config providers that the environment names, as the worker does it
(CONNECT_CONFIG_PROVIDERS=env, CONNECT_CONFIG_PROVIDERS_ENV_CLASS=…). It exits with 1 when it finds an error, not
for warnings.

Examples:
  tributary check connector.json
  tributary check --json connector.json | jq -r '.findings[].statement // empty'`,
    )
    .action(async (file: string, options: CheckOptions) => {
      const { check } = await import('./commands/check.ts')
      end(await check(file, options, process.env))
    })
}

function addWatch(program: Command, end: End): void {
  program
    .command('watch')
    .description('show the records of a topic as they come: for looking, not for applications')
    .argument('<topic>', 'its name: <topic.prefix>.<database>.<table>')
    .option('-a, --from-beginning', 'all that the topic holds, then what comes; else only what comes')
    .option('-k, --with-keys', "each record's key, before its value")
    .option('--bootstrap-server <host:port>', 'broker to begin with; else BOOTSTRAP_SERVERS of the environment')
    .option('--schema-registry <url>', "show Avro as JSON, with the schemas of this registry (Confluent's interface)")
    .option('--max-messages <n>', 'end after so many records', wholeNumber)
    .option('--timeout-ms <n>', 'end when nothing came for so long', wholeNumber)
    .addHelpText(
      'after',
      `
On a terminal documents are indented and coloured (NO_COLOR=1: not coloured). In a pipe each record is a line with its
bytes unchanged: the value, or with -k the key, a tab, the value. A tombstone is {"schema":null,"payload":null}, in a
topic without schemas null; a null key is null. It runs until Ctrl-C. Security settings are those of the worker
(CONNECT_SECURITY_PROTOCOL, …), and so is the registry without --schema-registry
(CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL, …). It shows Avro values without their schema, decimals as text
and bytes in base64.

Examples:
  tributary watch -a -k --bootstrap-server localhost:9092 dbserver1.inventory.customers
  tributary watch -a --timeout-ms 2000 dbserver1.inventory.customers | jq -c '.payload | [.op, .after]'
  tributary watch -a --max-messages 1 dbserver1.inventory.customers
  tributary watch -a --schema-registry http://localhost:8081 dbserver1.inventory.customers`,
    )
    .action(async (topic: string, options: WatchOptions) => {
      const { watch } = await import('./commands/watch.ts')
      end(await watch(topic, options, process.env))
    })
}

export function wholeNumber(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number > 0 && Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('A whole number above 0 is expected.')
}
