import { type Command, InvalidArgumentError } from 'commander'
import type { CreateOptions, RestartOptions, WaitingOptions } from './commands/connectors.ts'
import type { SessionOptions } from './connectors/session.ts'

type End = (code: number) => void

/** `tributary connectors …`: a client of the REST interface. */
export function addConnectorCommands(program: Command, end: End): void {
  const connectors = program
    .command('connectors')
    .description('register connectors, look at them, change what they do: a client of the REST interface')
    .addHelpText(
      'after',
      `
The service is at --url, else at TRIBUTARY_URL, else at http://127.0.0.1:8083; Kafka Connect's own workers understand
the same. One that is starting is waited for. With --json the answers of the service are shown as they are, a line
each, and nothing is hidden; else the values of passwords and the like are [hidden].

Exit codes: 0 done; 1 refused, failed (also: the connector of status has failed), or not done in time; 2 the command
line or a file it names cannot be used; 3 no service answers, or something else in its place.

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
  addDelete(connectors, end)
}

function addReading(connectors: Command, end: End): void {
  common(connectors.command('list'))
    .description('all connectors with their states')
    .action(async (options: SessionOptions) => {
      const { list } = await import('./commands/connectors.ts')
      end(await list(options, process.env))
    })
  common(connectors.command('get <name...>'))
    .description('the configuration of connectors')
    .addHelpText('after', '\nExample:\n  tributary connectors get --json shop-connector | jq .config > shop.json')
    .action(async (names: string[], options: SessionOptions) => {
      const { get } = await import('./commands/connectors.ts')
      end(await get(names, options, process.env))
    })
  waiting(common(connectors.command('status <name...>')))
    .description('the state of connectors and their tasks, and why they failed; fails (1) when one has')
    .addHelpText('after', '\nExample:\n  tributary connectors status --wait shop-connector orders-connector')
    .action(async (names: string[], options: WaitingOptions) => {
      const { status } = await import('./commands/connectors.ts')
      end(await status(names, options, process.env))
    })
}

function addCreate(connectors: Command, end: End): void {
  waiting(common(connectors.command('create <file>')))
    .description('register a connector; - is standard input')
    .option('--name <name>', 'of the connector, when the file has none')
    .option('--update', 'replace the configuration of the connector when it is there already')
    .addHelpText(
      'after',
      `
The file is the document of the REST interface, {"name": …, "config": {…}}, or the properties alone. A refusal is told
property by property.

Examples:
  tributary connectors create connector.json --wait
  tributary connectors create --update --name shop-connector shop.json
  jq '.config["snapshot.mode"] = "initial"' connector.json | tributary connectors create -`,
    )
    .action(async (file: string, options: CreateOptions) => {
      const { create } = await import('./commands/connectors.ts')
      end(await create(file, options, process.env))
    })
}

const OPERATIONS = {
  pause: 'pause connectors: their tasks stay and read nothing',
  resume: 'let paused or stopped connectors go on',
  stop: 'stop connectors: their tasks end, their configurations and offsets stay',
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
    .option('--only-failed', 'only what has failed')
    .option('--task <n>', 'only the task of this number', taskNumber)
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

function addDelete(connectors: Command, end: End): void {
  common(connectors.command('delete <name...>'))
    .description('stop connectors and remove them, without asking; stored offsets and topics stay')
    .addHelpText('after', '\nExample:\n  tributary connectors delete shop-connector orders-connector')
    .action(async (names: string[], options: SessionOptions) => {
      const { remove } = await import('./commands/connectors.ts')
      end(await remove(names, options, process.env))
    })
}

function common(command: Command): Command {
  return command
    .option('--url <url>', 'of the service; else TRIBUTARY_URL, else http://127.0.0.1:8083')
    .option('--json', 'the answers of the service as they are')
}

const WAIT_SECONDS = 60

function waiting(command: Command): Command {
  return command
    .option('--wait', 'until it is so, or has failed (then 1)')
    .option('--wait-seconds <n>', 'how long at most', seconds, WAIT_SECONDS)
}

function seconds(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('A whole number of seconds above 0 is expected.')
}

function taskNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('The number of a task is expected: 0, 1, …')
}
