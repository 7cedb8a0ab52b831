import { createKafka, kafkaOptionsFromProperties, type Kafka } from '@tributary/kafka'
import { propertiesOfEnvironment } from '@tributary/runtime'
import { describeError, systemClock, unreachable } from '@tributary/support'
import { endingSignal } from '../ending-signal.ts'
import { cliErrors } from '../errors.ts'
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
      format: formatFor(process.stdout, withKeys, topic),
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

function note(text: string): void {
  process.stderr.write(`tributary watch: ${text}\n`)
}
