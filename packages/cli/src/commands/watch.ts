import { AvroReader } from '@tributary/converters'
import { createKafka, kafkaOptionsFromProperties, type Kafka } from '@tributary/kafka'
import { propertiesOfEnvironment } from '@tributary/runtime'
import { describeError, systemClock, unreachable } from '@tributary/support'
import { endingSignal } from '../process/ending-signal.ts'
import { cliErrors } from '../errors.ts'
import { AvroFormat } from '../watch/avro-format.ts'
import { LineFormat } from '../watch/line-format.ts'
import { createNoteLogger } from '../watch/note-logger.ts'
import { StdoutOutput } from '../watch/output.ts'
import { paletteOf } from '../terminal/palette.ts'
import { PrettyFormat } from '../watch/pretty-format.ts'
import type { RecordFormat } from '../watch/record-format.ts'
import { TopicWatcher } from '../watch/topic-watcher.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** As the command line gives them. */
export interface WatchOptions {
  readonly fromBeginning?: boolean
  readonly withKeys?: boolean
  readonly bootstrapServer?: string
  readonly schemaRegistry?: string
  readonly maxMessages?: number
  readonly timeoutMs?: number
}

/**
 * `tributary watch TOPIC`: shows the records of a topic until SIGINT or SIGTERM, or an end that the options set. Gives the exit
 * code: 1 when the topic cannot be read or was not there in time.
 */
export async function watch(topic: string, options: WatchOptions, environment: Environment): Promise<number> {
  const { fromBeginning = false, withKeys = false, maxMessages = null, timeoutMs = null } = options
  const signal = endingSignal()
  try {
    const watcher = new TopicWatcher({
      kafka: connect(options, environment),
      topic,
      from: fromBeginning ? 'earliest' : 'latest',
      format: withAvro(formatFor(process.stdout, withKeys, topic), options, environment),
      output: new StdoutOutput(process.stdout),
      maxMessages,
      timeoutMs,
      clock: systemClock,
      onNote: note,
    })
    const end = await watcher.run(signal)
    switch (end) {
      case 'stopped':
      case 'enough':
      case 'quiet':
      case 'unread':
        return 0
      case 'neverOpened':
        throw cliErrors.WATCH_NOTHING_THERE({ topic, timeoutMs: timeoutMs ?? 0 })
      default:
        return unreachable(end)
    }
  } catch (error) {
    note(describeError(error))
    return 1
  }
}

/** The brokers as for `tributary start`, with the same security settings (`CONNECT_SECURITY_PROTOCOL`, …); the option wins. */
function connect({ bootstrapServer }: WatchOptions, environment: Environment): Kafka {
  const properties = propertiesOfEnvironment(environment)
  const servers = bootstrapServer ?? properties['bootstrap.servers'] ?? ''
  if (servers.trim() === '') throw cliErrors.WATCH_NO_BROKER({})
  const connection = kafkaOptionsFromProperties({ ...properties, 'bootstrap.servers': servers })
  return createKafka({
    ...connection,
    clientId: 'tributary-watch',
    logger: createNoteLogger(note),
    clock: systemClock,
  })
}

function formatFor(stdout: NodeJS.WriteStream, withKeys: boolean, topic: string): RecordFormat {
  if (stdout.isTTY) return new PrettyFormat(withKeys, paletteOf(stdout))
  return new LineFormat({
    withKeys,
    onBinary: (part, { partition, offset }) =>
      note(`${part}s of topic ${topic} are no UTF-8 text (partition ${partition}, offset ${offset}); shown in base64`),
  })
}

/**
 * With a registry what is Avro is shown as JSON. The registry is that of the option, or of the worker's converters
 * (`CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL`, …), whose login and TLS settings are taken in both cases.
 */
function withAvro(format: RecordFormat, { schemaRegistry }: WatchOptions, environment: Environment): RecordFormat {
  const properties = propertiesOfEnvironment(environment)
  const readerOf = (role: 'key' | 'value'): AvroReader | null => {
    const options: Readonly<Record<string, string>> = {
      ...optionsBehind(`${role}.converter.`, properties),
      ...(schemaRegistry === undefined ? {} : { 'schema.registry.url': schemaRegistry }),
    }
    if (!REGISTRY_URLS.some((name) => options[name] !== undefined)) return null
    return new AvroReader(options, role === 'key', (id, error) =>
      note(`the schema with id ${id} of ${role}s cannot be had; shown as they are: ${describeError(error)}`),
    )
  }
  const [keys, values] = [readerOf('key'), readerOf('value')]
  return values === null ? format : new AvroFormat(format, keys ?? values, values)
}

const REGISTRY_URLS = ['schema.registry.url', 'apicurio.registry.url'] as const

function optionsBehind(prefix: string, properties: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(properties).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]))
}

function note(text: string): void {
  process.stderr.write(`tributary watch: ${text}\n`)
}
