import { type Command, InvalidArgumentError } from 'commander'
import type { CreateOptions, RestartOptions, WaitingOptions } from './commands/connectors.ts'
import type { SignalOptions, SnapshotOptions } from './commands/signals.ts'
import type { SessionOptions } from './connectors/session.ts'

type End = (code: number) => void

/** `tributary connectors …`: a client of the REST interface. */
export function addConnectorCommands(program: Command, end: End): void {
  const connectors = program
    .command('connectors')
    .description('register, show and control connectors: a client of the REST interface')
    .addHelpText(
      'after',
      `
The service is a worker of Tributary or of Kafka Connect, at --url, or TRIBUTARY_URL, or http://127.0.0.1:8083. The
commands wait up to a minute for a worker that is starting. With --json they print the answers of the service
unchanged, one per line, including passwords; otherwise the values of passwords and other secrets are [hidden].

Exit codes:
  0  done
  1  refused, failed, or not done in time; with status also: a connector or one of its tasks has failed
  2  the command line, or a file that it names, is invalid
  3  no service answers, or another program answers in its place

Examples:
  tributary connectors list
  tributary connectors create connector.json --wait
  tributary connectors status shop-connector || tributary connectors restart --only-failed shop-connector
  tributary connectors delete shop-connector --url http://connect:8083`,
    )
  addReading(connectors, end)
  addCreate(connectors, end)
  addOperations(connectors, end)
  addRestart(connectors, end)
  addSignals(connectors, end)
  addDelete(connectors, end)
}

function addReading(connectors: Command, end: End): void {
  common(connectors.command('list'))
    .description('list all connectors with their states')
    .action(async (options: SessionOptions) => {
      const { list } = await import('./commands/connectors.ts')
      end(await list(options, process.env))
    })
  common(connectors.command('get <name...>'))
    .description('print the configuration of connectors')
    .addHelpText('after', '\nExample:\n  tributary connectors get --json shop-connector | jq .config > shop.json')
    .action(async (names: string[], options: SessionOptions) => {
      const { get } = await import('./commands/connectors.ts')
      end(await get(names, options, process.env))
    })
  waiting(common(connectors.command('status <name...>')))
    .description('print the state of connectors and their tasks, failures (exit code 1), and the time to loss')
    .addHelpText('after', '\nExample:\n  tributary connectors status --wait shop-connector orders-connector')
    .action(async (names: string[], options: WaitingOptions) => {
      const { status } = await import('./commands/connectors.ts')
      end(await status(names, options, process.env))
    })
}

function addCreate(connectors: Command, end: End): void {
  waiting(common(connectors.command('create <file>')))
    .description('register the connectors of a file, or change them with --update; - for standard input')
    .option('--name <name>', 'name of the connector, if the file has none')
    .option('--update', 'replace the configuration of the connector if it exists')
    .addHelpText(
      'after',
      `
The file has one of these forms, by the ending of its name or else by its first words:
  .json             the document of the REST interface, {"name": …, "config": {…}}, or the properties alone
  .properties       the format of connect-standalone; the property name is the name
  .yaml, .yml       Strimzi's KafkaConnector, among other resources or in a List; or the forms of JSON
  .sql, .ksql       ksqlDB's CREATE SOURCE CONNECTOR [IF NOT EXISTS] name WITH (…);
  .tf, .hcl         Terraform's confluent_connector and kafka-connect_connector; var.x is TF_VAR_x of the environment
All but JSON may have several connectors. The command prints the JSON that they became, with secrets [hidden]. If the
service refuses the configuration, the command prints the reasons by property.

Examples:
  tributary connectors create connector.json --wait
  tributary connectors create kafka-connector.yaml
  tributary connectors create --update --name shop-connector shop.json
  jq '.config["snapshot.mode"] = "initial"' connector.json | tributary connectors create -`,
    )
    .action(async (file: string, options: CreateOptions) => {
      const { create } = await import('./commands/connectors.ts')
      end(await create(file, options, process.env))
    })
}

const OPERATIONS = {
  pause: 'pause connectors: their tasks stay, but read nothing',
  resume: 'resume paused or stopped connectors',
  stop: 'stop connectors: their tasks end, their configurations and offsets are kept',
} as const

function addOperations(connectors: Command, end: End): void {
  for (const name of ['pause', 'resume', 'stop'] as const) {
    waiting(common(connectors.command(`${name} <name...>`)))
      .description(OPERATIONS[name])
      .addHelpText('after', `\nExample:\n  tributary connectors ${name} --wait shop-connector`)
      .action(async (names: string[], options: WaitingOptions) => {
        const { operate } = await import('./commands/connectors.ts')
        end(await operate(name, names, options, process.env))
      })
  }
}

function addRestart(connectors: Command, end: End): void {
  waiting(common(connectors.command('restart <name...>')))
    .description('restart connectors with their tasks')
    .option('--only-failed', 'restart only connectors and tasks that have failed')
    .option('--task <n>', 'restart only the task with this number', taskNumber)
    .addHelpText(
      'after',
      `
Examples:
  tributary connectors restart --wait shop-connector
  tributary connectors restart --task 0 shop-connector`,
    )
    .action(async (names: string[], options: RestartOptions) => {
      const { restart } = await import('./commands/connectors.ts')
      end(await restart(names, options, process.env))
    })
}

function addSignals(connectors: Command, end: End): void {
  common(connectors.command('snapshot <name> <table...>'))
    .description('copy the rows of tables again, while the stream continues; status shows the progress')
    .option('--blocking', 'let the stream wait, and read all rows as of one moment')
    .option('--where <condition>', 'only rows for which it is true; with --blocking a whole SELECT of one table')
    .option('--id <id>', 'id of the signal: one with the id of one of the last 16 is not run again')
    .addHelpText(
      'after',
      `
A table is a regular expression of database.table.

Examples:
  tributary connectors snapshot shop-connector shop.customers
  tributary connectors snapshot shop-connector 'shop.order.*' --where 'id > 1000'`,
    )
    .action(async (name: string, tables: string[], options: SnapshotOptions) => {
      const { snapshot } = await import('./commands/signals.ts')
      end(await snapshot(name, tables, options, process.env))
    })
  common(connectors.command('signal <name> <type>'))
    .description('send a signal: execute-snapshot, stop-snapshot, pause-snapshot, resume-snapshot, log')
    .option('--data <json>', 'its data')
    .option('--id <id>', 'its id: a signal with the id of one of the last 16 is not run again')
    .addHelpText(
      'after',
      `
Examples:
  tributary connectors signal shop-connector pause-snapshot
  tributary connectors signal shop-connector log --data '{"message": "now at {}"}'`,
    )
    .action(async (name: string, type: string, options: SignalOptions) => {
      const { signal } = await import('./commands/signals.ts')
      end(await signal(name, type, options, process.env))
    })
}

function addDelete(connectors: Command, end: End): void {
  common(connectors.command('delete <name...>'))
    .description('delete connectors, without confirmation; their stored offsets and topics are kept')
    .addHelpText('after', '\nExample:\n  tributary connectors delete shop-connector orders-connector')
    .action(async (names: string[], options: SessionOptions) => {
      const { remove } = await import('./commands/connectors.ts')
      end(await remove(names, options, process.env))
    })
}

function common(command: Command): Command {
  return command
    .option('--url <url>', 'address of the service (default: TRIBUTARY_URL, or http://127.0.0.1:8083)')
    .option('--json', 'print the answers of the service unchanged')
}

const WAIT_SECONDS = 60

function waiting(command: Command): Command {
  return command
    .option('--wait', 'wait until the new state is reached, or the connector or a task has failed (exit code 1)')
    .option('--wait-seconds <n>', 'longest time to wait', seconds, WAIT_SECONDS)
}

function seconds(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of seconds above 0.')
}

function taskNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of a task: 0, 1, …')
}
