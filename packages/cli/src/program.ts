import { visibleText } from '@tributary/support'
import { Command, InvalidArgumentError, Option } from 'commander'
import { addConnectorCommands } from './connector-commands.ts'
import { EXIT } from './process/exit-code.ts'
import { PROGRAM_VERSION } from './version.ts'
import type { CheckOptions } from './commands/check.ts'
import type { DevOptions } from './commands/dev.ts'
import type { RehearseCommandOptions } from './commands/rehearse.ts'
import type { StartOptions } from './commands/start.ts'
import type { TailOptions } from './commands/tail.ts'
import type { VerifyOptions } from './commands/verify.ts'
import type { WatchOptions } from './commands/watch.ts'

/** Ends the process with an exit code. */
export type End = (code: number) => void

/** The command line: every command with its help. Each command loads its code when it is run. */
export function createProgram(end: End): Command {
  const program = new Command('tributary')
    .description(
      'Change data capture from MySQL and MariaDB to Kafka: what Kafka Connect with Debezium does, as one program',
    )
    .version(PROGRAM_VERSION)
    // Its errors repeat arguments, which a shell may have taken from names of files.
    .configureOutput({ writeErr: (text) => process.stderr.write(visibleText(text)) })
    // commander would exit with 1, which means that the service refused the request.
    .exitOverride(({ exitCode }) => end(exitCode === 0 ? EXIT.ok : EXIT.usage))
    .addHelpText(
      'after',
      `
Exit codes:
  0  done
  1  refused, failed, or not done in time
  2  the command line, a file that it names, or a setting is invalid
  3  connectors, verify, rehearse: no service answers, or another program answers in its place
  4  start: a worker runs that cannot share the group or the internal topics
  5  verify, rehearse: nothing differs, but not everything could be compared

Examples:
  tributary tail mysql://reader@127.0.0.1/shop
  tributary dev mysql://app@127.0.0.1/shop
  tributary check connector.json
  tributary start connect-distributed.properties
  tributary connectors create connector.json --wait
  tributary watch -a --bootstrap-server localhost:9092 shop.shop.customers`,
    )
  addStart(program, end)
  addConnectorCommands(program, end)
  addCheck(program, end)
  addVerify(program, end)
  addRehearse(program, end)
  addWatch(program, end)
  addTail(program, end)
  addDev(program, end)
  addHelp(program)
  return program
}

/** commander's own help command describes only the first of several words, and unknown commands silently. */
function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('describe a command: tributary help connectors create')
    .argument('[command...]')
    .action((names: string[]) => {
      let command = program
      for (const name of names) {
        const found = command.commands.find((each) => each.name() === name)
        if (found === undefined) return program.error(`error: unknown command '${names.join(' ')}'`)
        command = found
      }
      return command.help()
    })
}

function addStart(program: Command, end: End): void {
  program
    .command('start')
    .description('run a worker: its REST interface (port 8083), its connectors and their tasks')
    .argument(
      '[properties-file]',
      'settings in the format of connect-distributed.properties; the environment overrides them',
    )
    .option(
      '--dev-broker [port]',
      'run a broker for development in the same process: one node, no replication (default: a free port)',
      portNumber,
    )
    .option('--dev-data <folder>', 'keep the topics of that broker (default: a temporary folder, removed at the end)')
    .addHelpText(
      'after',
      `
Settings in the environment, with their defaults (the variables of the Debezium image):
  BOOTSTRAP_SERVERS       brokers, host:port, separated by commas      (required)
  CONFIG_STORAGE_TOPIC    topic for connector configurations           (required)
  OFFSET_STORAGE_TOPIC    topic for offsets                            (required)
  STATUS_STORAGE_TOPIC    topic for statuses                           (connect-status)
  GROUP_ID                name of the worker group                     (1)
  REST_HOST_NAME          address of the REST interface                (all)
  REST_PORT               port of the REST interface                   (8083)
  CONNECT_<NAME>          any other worker property, for example CONNECT_OFFSET_FLUSH_INTERVAL_MS=10000
  LOG_LEVEL, LOG_FORMAT   debug|info|warn|error, text|json             (info, text)

It runs until SIGTERM or Ctrl-C, and waits for brokers that are unreachable.

With --dev-broker no Kafka is needed, and no setting is required. Write --dev-broker=9092 for a port of your choice. The
broker listens on 127.0.0.1 without a login. It is for development and tests.

Exit codes:
  0  stopped by a signal
  1  it cannot start, for example because the port is in use
  2  the command line, the properties file or a setting is invalid

Examples:
  BOOTSTRAP_SERVERS=localhost:9092 CONFIG_STORAGE_TOPIC=configs OFFSET_STORAGE_TOPIC=offsets tributary start
  tributary start connect-distributed.properties
  tributary start --dev-broker=9092`,
    )
    .action(async (propertiesFile: string | undefined, options: StartOptions) => {
      // Loaded here, because the code of connectors and databases takes half a second, which `watch` need not wait for.
      const { start } = await import('./commands/start.ts')
      end(await start(propertiesFile, options, process.env))
    })
}

function addCheck(program: Command, end: End): void {
  program
    .command('check')
    .description('check a connector: what becomes of each property, and what the database lacks')
    .argument('<file>', 'connector in any of the forms of connectors create; - for standard input')
    .option('--name <name>', 'name of the connector, if the file has none')
    .option('--json', 'print the report as one JSON document')
    .addHelpText(
      'after',
      `
A table lists each property: it works as before in Kafka Connect, works differently, has no effect, or is refused. Then
the command connects to the database and, for Avro, to the schema registry, and changes nothing. It needs no worker and
no Kafka: the brokers of the schema history topic are not checked. References to secrets (\${file:/path:key}) are
resolved by the config providers of the environment, as in a worker (CONNECT_CONFIG_PROVIDERS=env,
CONNECT_CONFIG_PROVIDERS_ENV_CLASS=…).

With --json, each connector of the file has one line.

Exit codes:
  0  no errors, but perhaps warnings
  1  errors, for example an unreachable database or a reference without a value
  2  the command line or the file is invalid

Examples:
  tributary check connector.json
  tributary check kafka-connector.yaml
  tributary check --json connector.json | jq -r '.findings[].statement // empty'`,
    )
    .action(async (file: string, options: CheckOptions) => {
      const { check } = await import('./commands/check.ts')
      end(await check(file, options, process.env))
    })
}

function addVerify(program: Command, end: End): void {
  program
    .command('verify')
    .description('compare the tables of a connector with the state that their topics yield: is the copy right?')
    .argument('<connector>', 'name of a running connector')
    .option('--table <database.table...>', 'only these tables (default: all that the connector captures)')
    .option('--rate <rows/s>', 'read at most so many rows per second from the database', wholeNumber)
    .option('--url <url>', 'address of the service (default: TRIBUTARY_URL, or http://127.0.0.1:8083)')
    .option('--json', 'print the result as one JSON document')
    .addHelpText(
      'after',
      `
The worker reads each table as of one position, without locks, and the topic up to there: of each key the last record.
The stream continues meanwhile. Keys that differ are read again, at later positions, before they are reported. The
database computes checksums of its rows; the values of records are converted back to the texts of the database.

Ctrl-C cancels the comparison. When the worker is restarted meanwhile, tables with a result are not compared again.

Exit codes:
  0  all rows of all tables are equal
  1  rows differ, or the comparison failed or was cancelled
  2  the command line is invalid
  3  no service answers, or another program answers in its place
  5  nothing differs, but tables, columns or rows could not be compared; the result has the reasons

Examples:
  tributary verify shop-connector
  tributary verify shop-connector --table shop.orders shop.customers --rate 20000
  tributary verify --json shop-connector | jq '.tables[].differences[]'`,
    )
    .action(async (connector: string, options: VerifyOptions) => {
      const { verify } = await import('./commands/verify.ts')
      end(await verify(connector, options, process.env))
    })
}

function addRehearse(program: Command, end: End): void {
  program
    .command('rehearse')
    .description('what moving a connector from a running Kafka Connect would change, and the commands to move it')
    .requiredOption('--connector <name>', 'name of the connector in Kafka Connect')
    .option('--from <url>', 'REST interface of Kafka Connect: http://[user:password@]host:port')
    .option('--to <url>', 'worker that will run the connector, for the printed commands', 'http://127.0.0.1:8083')
    .option('--config-topic <topic>', 'config topic of Kafka Connect, instead of --from')
    .option('--offset-topic <topic>', 'offset topic of Kafka Connect: without --from, or before release 3.5')
    .option('--bootstrap-servers <list>', 'brokers of Kafka Connect (default: BOOTSTRAP_SERVERS, or the history’s)')
    .option('--worker-config <file>', 'connect-distributed.properties: converters, security, config providers')
    .option('--set <property=value...>', 'replace a property, such as a password that only Kafka Connect can resolve')
    .option('--minutes <n>', 'read changes for so many minutes', number, 5)
    .option('--server-id <n>', 'database.server.id of the rehearsal (default: a random one)', wholeNumber)
    .option('--verbose', 'print the log of the connector to standard error')
    .option('--json', 'print the result as one JSON document')
    .addHelpText(
      'after',
      `
The command checks the configuration as tributary check does. Then it runs the connector beside Kafka Connect, from the
offset that Kafka Connect has stored, and compares each record (key, value, headers, schemas, partition, order per key)
with the one that Debezium has written. Its records stay in memory: it writes nothing to Kafka, to a schema registry or
to the database, and leaves nothing to remove, also after a kill.

References to secrets (\${file:/path:key}) are resolved here, by the config providers of --worker-config or of the
environment; --set replaces those that only Kafka Connect can resolve.

Exit codes:
  0  the move would change nothing but what is named as deliberate
  1  it would change records, would be refused, or the rehearsal failed or was cancelled
  2  the command line, a file that it names, or a setting is invalid
  3  Kafka Connect or the brokers do not answer
  5  nothing differs, but not everything could be compared, or nothing was written meanwhile

Examples:
  tributary rehearse --from http://connect:8083 --connector shop --bootstrap-servers localhost:9092
  tributary rehearse --from http://connect:8083 --connector shop --minutes 30 --json > rehearsal.json
  tributary rehearse --config-topic connect-configs --offset-topic connect-offsets --connector shop`,
    )
    .action(async (options: RehearseCommandOptions) => {
      const { rehearse } = await import('./commands/rehearse.ts')
      end(await rehearse(options, process.env))
    })
}

function addWatch(program: Command, end: End): void {
  program
    .command('watch')
    .description('print the records of a topic as they arrive: for people, not for applications')
    .argument('<topic>', 'name of the topic: <topic.prefix>.<database>.<table>')
    .option('-a, --from-beginning', 'start with the first record of the topic; otherwise only new records are printed')
    .option('-k, --with-keys', 'print the key before the value')
    .option('--bootstrap-server <host:port>', 'a broker of the cluster (default: BOOTSTRAP_SERVERS of the environment)')
    .option('--schema-registry <url>', "print Avro as JSON, with the schemas of this registry (Confluent's interface)")
    .option('--max-messages <n>', 'end after this number of records', wholeNumber)
    .option('--timeout-ms <n>', 'end when no record has arrived for this time', wholeNumber)
    .addHelpText(
      'after',
      `
On a terminal documents are indented and coloured (NO_COLOR=1: not coloured). In a pipe each record is one line with
its bytes unchanged: the value, or with -k the key, a tab and the value. A tombstone is
{"schema":null,"payload":null}, or null in a topic without schemas; a null key is null.

Security settings are those of a worker (CONNECT_SECURITY_PROTOCOL, …). Without --schema-registry the registry is that
of the worker's converter (CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL, …). Avro values are printed without their
schema, decimals as text and bytes in base64.

It runs until Ctrl-C, and waits for a missing topic and for unreachable brokers.

Exit codes:
  0  ended by Ctrl-C, --max-messages or --timeout-ms
  1  an error, or the topic could not be read within --timeout-ms
  2  the command line or a setting is invalid

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

function addDev(program: Command, end: End): void {
  program
    .command('dev')
    .description('try it: a broker, a worker and a connector in one process; prints the events of a database')
    .argument('[url...]', 'mysql://user@host:port/database.table; several make several connectors; none: asks for it')
    .option('--data <folder>', 'keep topics, offsets and connectors, and continue from there at the next start')
    .option('--no-snapshot', 'begin with the next change, not with the rows of the tables')
    .addOption(
      new Option('--format <format>', 'default: pretty on a terminal, otherwise json').choices(['pretty', 'json']),
    )
    .option('--set <property=value...>', 'a property of the connectors, such as database.ssl.mode=required')
    .option('--password-file <file>', 'read the password of the users from the first line of a file')
    .option('--broker-port <port>', 'port of the broker (default: 9092 if it is free, else another one)', portNumber)
    .option('--rest-port <port>', 'port of page and REST (default: 8083 if it is free, else another one)', portNumber)
    .option('--verbose', 'print the log of worker and broker to standard error')
    .addHelpText(
      'after',
      `
The broker is for development: one node, no replication. It needs no Kafka and no Java. On standard error, the command
prints how other programs read the same topics, and the address of the page. Everything listens on 127.0.0.1 only.

The server needs a row-based binary log, and the user the privileges of a connector. If something is missing, the
command prints the statement that adds it, and ends. Without --no-snapshot the rows of the tables are the first events.

The password is asked for on a terminal, or taken from --password-file, from MYSQL_PWD, or from the URL, where other
users of the machine can see it (ps). It is neither stored nor shown: configurations have a reference to it.

Without --data, topics are in a temporary folder, which is removed at the end. With it, connectors of earlier starts
continue too; tributary connectors delete removes one.

Exit codes:
  0  ended by Ctrl-C or SIGTERM, or because the output was closed
  1  an error, such as an unreachable database or missing privileges
  2  the command line, a file or a setting is invalid

Examples:
  tributary dev mysql://app@127.0.0.1/shop
  tributary dev mysql://app@127.0.0.1/shop mysql://app@db.example:3307/crm.customers --data dev-data
  tributary dev mysql://app@127.0.0.1/shop | jq -c '[.op, .after.id]'`,
    )
    .action(async (urls: readonly string[], options: DevOptions) => {
      const { dev } = await import('./commands/dev.ts')
      end(await dev(urls, options, process.env))
    })
}

function addTail(program: Command, end: End): void {
  program
    .command('tail')
    .description('print the changes of a MySQL or MariaDB server as they are committed: no Kafka, no worker, no state')
    .argument('<url>', 'mysql://user@host:port/database.table; without table or database: all of them')
    .option('--snapshot', 'print all rows of the tables first, then their changes')
    .option('--since <when>', 'start in the past: 10m, 2026-11-26T08:00:00Z, GTIDs, or binlog.000003:4096')
    .option('--where <expression>', "only changes for which it is true: value.op == 'u' && value.after.id == 7")
    .addOption(
      new Option('--format <format>', 'default: pretty on a terminal, otherwise json').choices([
        'pretty',
        'json',
        'sql',
      ]),
    )
    .option('--save <file>', 'keep the position in a file, and continue from there at the next start')
    .option('--set <property=value...>', 'a property of the connector, such as database.ssl.mode=required')
    .option('--password-file <file>', 'read the password of the user from the first line of a file')
    .option('--verbose', 'print the log of the connector to standard error')
    .addHelpText(
      'after',
      `
pretty: what changed, in colour (NO_COLOR=1: not coloured), with values as SQL writes them. json: one document on a
line, the value of the record that a connector would write, without its schema. sql: statements that repeat the changes.

The server needs a row-based binary log, and the user the privileges SELECT, REPLICATION SLAVE and REPLICATION CLIENT;
with --snapshot also RELOAD and LOCK TABLES. If something is missing, the command prints the statement that adds it.

The password is asked for on a terminal, or taken from --password-file, from MYSQL_PWD, or from the URL, where other
users of the machine can see it (ps). A dot in a name is %2E, or the name is in backquotes:
'mysql://reader@db/\`my.shop\`.orders'.

--since with a time starts with the first transaction that was committed in that second or later (MariaDB: that has an
event of it, since its binlog has no times of commits). In the past a table may have had another definition: a table
whose definition is not certain is stopped with an error that names the remedy, and the exit code is 1. With sql, the
output ends there.

The expression of --where is that of Debezium's Filter (Groovy). Statements that define tables are not printed with it.
The position of --save is after what was written: what the reader of a pipe did not process is not printed again.

It runs until Ctrl-C or until its output is closed. If the database becomes unreachable meanwhile, it reconnects.

Exit codes:
  0  ended by Ctrl-C, or because the output was closed
  1  an error; a table was stopped
  2  the command line, the file of --save or the start is invalid

Examples:
  tributary tail mysql://reader@127.0.0.1/shop
  tributary tail mysql://tail@db.example:3306/shop.orders --since 10m --format json | jq -c '[.op, .after.id]'
  tributary tail mysql://tail@db/shop --where "value.after?.total > 100"
  tributary tail mysql://tail@db/shop --format sql | mysql -h test`,
    )
    .action(async (url: string, options: TailOptions) => {
      const { tail } = await import('./commands/tail.ts')
      end(await tail(url, options, process.env))
    })
}

export function wholeNumber(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number > 0 && Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('It must be a whole number above 0.')
}

function portNumber(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port > 0 && port <= PORT_MAX) return port
  throw new InvalidArgumentError(
    `It must be a port from 1 to ${PORT_MAX}. Write a file before this option, or the port after =.`,
  )
}

const PORT_MAX = 65_535

function number(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= MINUTES_MAX) return value
  throw new InvalidArgumentError(`It must be a number above 0, at most ${MINUTES_MAX}.`)
}

/** A day. */
const MINUTES_MAX = 1_440
