import type { Logger } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { SaslOptions } from '../api/kafka.ts'

export interface UnencryptedWarningOptions {
  readonly sasl: SaslOptions | null
  /** The setting that encrypts the connections. */
  readonly setting: string
  readonly logger: Logger
}

/**
 * Returns a function that warns about an unencrypted connection to another machine: at its first call only, since all
 * brokers of a cluster have the same settings and clients reconnect often.
 */
export function unencryptedWarning({ sasl, setting, logger }: UnencryptedWarningOptions): (broker: string) => void {
  let isLogged = false
  return (broker) => {
    if (isLogged) return
    isLogged = true
    const { code, message } = kafkaErrors.KAFKA_UNENCRYPTED({
      broker,
      setting,
      protocol: sasl === null ? 'SSL' : 'SASL_SSL',
      // SCRAM does not send the password.
      password: sasl?.mechanism === 'PLAIN' ? ' and with the password' : '',
    })
    logger.warn(`${message} [${code}]`, { code })
  }
}
