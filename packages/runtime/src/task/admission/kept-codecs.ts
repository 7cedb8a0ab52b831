import type { CodecReader, Compression } from '@tributary/kafka'
import { CodedError, describeError, type Logger } from '@tributary/support'

export interface KeptCodecsOptions {
  readonly reader: Pick<CodecReader, 'lastCodecs'>
  /**
   * True: the connector continues from a stored offset, and no setting chooses a codec. Another program may have
   * written its topics.
   */
  readonly isOn: boolean
  readonly logger: Logger
}

/**
 * Consumers of a topic that another program has filled must be able to read on, and not all of them can decompress LZ4.
 * So a connector that continues keeps the codec of the last batches of each topic. A topic whose last batches have LZ4,
 * which is the case where this program wrote them, gets the default.
 */
export class KeptCodecs {
  readonly #options: KeptCodecsOptions
  #logged = 0
  #hasWarned = false

  constructor(options: KeptCodecsOptions) {
    this.#options = options
  }

  /** The codec for a topic; undefined: the default of the producer. */
  async codecFor(topic: string, signal: AbortSignal): Promise<Compression | undefined> {
    const { reader, isOn } = this.#options
    if (!isOn) return undefined
    try {
      const sample = await reader.lastCodecs(topic, signal)
      if (sample === null || sample.codecs.has('lz4')) return undefined
      this.#log(topic, sample.last, sample.lz4Share)
      return sample.last
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      this.#warn(topic, error)
      return undefined
    }
  }

  #log(topic: string, codec: Compression, lz4Share: number): void {
    const { logger } = this.#options
    this.#logged += 1
    if (this.#logged > LOGGED_MAX) return
    const percent = Math.round((1 - lz4Share) * 100)
    const saved = percent > 0 ? `LZ4 would make its last batches ${percent} % smaller` : 'LZ4 would not be smaller'
    const more = this.#logged === LOGGED_MAX ? '. Further topics are not logged' : ''
    logger.info(
      `Topic ${topic} keeps the codec of its last batches, ${codec}, so that its consumers can read on. ${saved}: producer.override.compression.type=lz4 of the connector chooses it${more}`,
    )
  }

  #warn(topic: string, error: CodedError): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#options.logger.warn(
      `The codec of topic ${topic} is not known, because its last batches could not be read: ${describeError(error)} Records with schemas are written with LZ4 there; set producer.override.compression.type if its consumers cannot read that`,
    )
  }
}

/** A connector may have thousands of topics. */
const LOGGED_MAX = 10
