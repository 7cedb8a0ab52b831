import type { Logger } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { SaslOptions } from '../api/kafka.ts'

export interface UnencryptedWarningOptions {
  readonly sasl: Pick<SaslOptions, 'mechanism'> | null
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
      password: SECRETS[sasl?.mechanism ?? ''] ?? '',
    })
    logger.warn(`${message} [${code}]`, { code })
  }
}

/** What the login sends in clear text. SCRAM does not send the password. */
const SECRETS: Readonly<Record<string, string>> = {
  PLAIN: ' and with the password',
  OAUTHBEARER: ' and with the token of the login',
}
