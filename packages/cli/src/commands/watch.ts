import { AvroReader } from '@tributary/converters'
import { createKafka, kafkaOptionsFromProperties, type Kafka } from '@tributary/kafka'
import { propertiesOfEnvironment } from '@tributary/runtime'
import { describeError, systemClock, unreachable, visibleText } from '@tributary/support'
import { endingSignal } from '../process/ending-signal.ts'
import { cliErrors } from '../errors.ts'
import { AvroFormat } from '../watch/avro-format.ts'
import { LineFormat } from '../watch/line-format.ts'
import { createNoteLogger } from '../watch/note-logger.ts'
import { StdoutOutput } from '../watch/output.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { paletteOf } from '../terminal/palette.ts'
import { PrettyFormat } from '../watch/pretty-format.ts'
import type { RecordFormat } from '../watch/record-format.ts'
import { TopicWatcher } from '../watch/topic-watcher.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The options of the command line. */
export interface WatchOptions {
  readonly fromBeginning?: boolean
  readonly withKeys?: boolean
  readonly bootstrapServer?: string
  readonly schemaRegistry?: string
  readonly maxMessages?: number
  readonly timeoutMs?: number
}

/** `tributary watch TOPIC`: prints the records of a topic until SIGINT, SIGTERM or a limit. Returns the exit code. */
export async function watch(topic: string, options: WatchOptions, environment: Environment): Promise<ExitCode> {
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
        return EXIT.ok
      case 'neverOpened':
        throw cliErrors.WATCH_NOTHING_THERE({ topic, timeoutMs: timeoutMs ?? 0 })
      default:
        return unreachable(end)
    }
  } catch (error) {
    note(describeError(error))
    return exitCodeOf(error)
  }
}

/**
 * The brokers of `--bootstrap-server`, otherwise those of the environment, with the security settings of a worker
 * (`CONNECT_SECURITY_PROTOCOL`, …).
 */
function connect({ bootstrapServer }: WatchOptions, environment: Environment): Kafka {
  const properties = propertiesOfEnvironment(environment)
  const servers = bootstrapServer ?? properties['bootstrap.servers'] ?? ''
  if (servers.trim() === '') throw cliErrors.WATCH_NO_BROKER({})
  const connection = kafkaOptionsFromProperties({ ...properties, 'bootstrap.servers': servers })
  return createKafka({
    ...connection,
    securitySetting: 'CONNECT_SECURITY_PROTOCOL',
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
      note(`${part}s of topic ${topic} are not UTF-8 text (partition ${partition}, offset ${offset}); shown in base64`),
  })
}

/**
 * Wraps the format so that it prints Avro as JSON, if a schema registry is set: by the option, or for the worker's
 * converters (`CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL`, …). The login and TLS settings are the converters'.
 */
function withAvro(format: RecordFormat, { schemaRegistry }: WatchOptions, environment: Environment): RecordFormat {
  const properties = propertiesOfEnvironment(environment)
  const readerOf = (role: 'key' | 'value'): AvroReader | null => {
    const options: Readonly<Record<string, string>> = {
      ...withPrefix(`${role}.converter.`, properties),
      ...(schemaRegistry === undefined ? {} : { 'schema.registry.url': schemaRegistry }),
    }
    if (!REGISTRY_URLS.some((name) => options[name] !== undefined)) return null
    return new AvroReader(options, role === 'key', (id, error) =>
      note(`cannot read the schema ${id} of ${role}s; printing them undecoded: ${describeError(error)}`),
    )
  }
  const [keys, values] = [readerOf('key'), readerOf('value')]
  return values === null ? format : new AvroFormat(format, keys ?? values, values)
}

const REGISTRY_URLS = ['schema.registry.url', 'apicurio.registry.url'] as const

function withPrefix(prefix: string, properties: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(properties).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]))
}

function note(text: string): void {
  process.stderr.write(`tributary watch: ${visibleText(text)}\n`)
}
