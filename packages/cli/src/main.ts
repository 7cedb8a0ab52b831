import { Command } from 'commander'
import { CONVERTERS_VERSION } from '@tributary/converters'
import { start } from './commands/start.ts'

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
    process.exitCode = await start(propertiesFile, process.env)
  })

await program.parseAsync()
