import type { ConnectValue, PollResult, Plugin, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import { type ByteWriter, defineErrors, doneOr, LogLevels, silentLogger } from '@tributary/support'
import { Plugins } from '../../plugins/plugins.ts'
import { recordAt } from '../../task/testing/test-record.ts'
import { TextConverter, textHeaders } from '../../task/testing/text-converter.ts'
import { hostTasks } from '../../task/thread-entry.ts'

/**
 * The thread of a real task, with plug-ins for tests: the class `Script` does what `script` of its configuration names,
 * and the class `Text` encodes texts. Its converter keeps the bytes that it has written, which no plug-in may do.
 */
const errors = defineErrors({
  DOWN: { message: 'The source is down.', action: '', retriable: true },
  BROKEN: { message: 'The source is broken.', action: '' },
})

/** Views of the values written so far. */
const kept: Buffer[] = []

class KeepingConverter extends TextConverter {
  override encoderFor(schema: null): ReturnType<TextConverter['encoderFor']> {
    const encoder = super.encoderFor(schema)
    const write = (value: ConnectValue, out: ByteWriter): boolean => {
      const isWritten = encoder.write(value, out)
      kept.push(out.bytes.subarray(0, out.position))
      return isWritten
    }
    return { ...encoder, write }
  }
}

class ScriptTask implements SourceTask {
  #config: SourceTaskContext['config'] = {}
  #polls = 0

  start({ config }: SourceTaskContext): Promise<void> {
    this.#config = config
    switch (config['script']) {
      case 'the source is down':
        return Promise.reject(errors.DOWN({}))
      case 'the source is down, as a cause':
        return Promise.reject(new Error('reading', { cause: errors.DOWN({}) }))
      case 'the source is broken':
        return Promise.reject(errors.BROKEN({}, errors.DOWN({})))
      default:
        return Promise.resolve()
    }
  }

  poll(signal: AbortSignal): Promise<PollResult> {
    this.#polls += 1
    if (this.#polls > 1 && this.#config['script'] === 'keeps bytes') {
      return Promise.reject(new Error(`kept: ${kept.map((bytes) => bytes.toString('hex')).join()}`))
    }
    if (this.#polls > 1) return doneOr(new Promise<PollResult>(() => undefined), signal)
    return Promise.resolve({ records: [recordAt(1, { topic: this.#config['topic'] ?? '' })], progress: null })
  }

  stop(): Promise<void> {
    if (this.#config['script'] === 'cannot be stopped') return Promise.reject(new Error('a connection is left'))
    return Promise.resolve()
  }
}

const plugins: readonly Plugin[] = [
  {
    type: 'source',
    className: 'Script',
    version: '1',
    taskClassName: 'ScriptTask',
    createConnector: () => {
      throw new Error('a task needs no connector')
    },
    createTask: () => Promise.resolve(new ScriptTask()),
  },
  { type: 'converter', className: 'Text', version: '1', create: () => new TextConverter() },
  { type: 'converter', className: 'Keeping', version: '1', create: () => new KeepingConverter() },
  { type: 'header_converter', className: 'TextHeaders', version: '1', create: () => textHeaders },
]

hostTasks(new Plugins(plugins), silentLogger, new LogLevels('OFF'))
