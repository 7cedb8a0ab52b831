import { createSecureContext } from 'node:tls'
import { tlsOptionsFromProperties, type TlsOptions } from '@tributary/kafka'
import type { ConfigMap } from '@tributary/connect-api'
import { describeError } from '@tributary/support'
import { invalidSetting } from '../config/invalid-setting.ts'
import { listenerTlsProperties } from '../config/rest-settings.ts'

/** Key, certificates and versions of TLS listeners. */
export interface ListenerTls extends Omit<TlsOptions, 'checkHostName'> {
  /** Whether clients must present a certificate of the trust store (`ssl.client.auth`). */
  readonly clientAuth: ClientAuth
  /** A client that does not complete its handshake in this time is disconnected; 15 s by default. */
  readonly handshakeTimeoutMs?: number
}

type ClientAuth = 'none' | 'requested' | 'required'

/**
 * Reads `listeners.https.ssl.…`, or `ssl.…` if no property begins with `listeners.https.`, with their files.
 *
 * @throws WORKER_SETTING_INVALID, and the errors of the clients' settings
 */
export function readListenerTls(properties: ConfigMap): ListenerTls {
  const own = listenerTlsProperties(properties)
  const { checkHostName: _, ...tls } = tlsOptionsFromProperties(own)
  const prefix = own === properties ? '' : 'listeners.https.'
  if (tls.cert === undefined) {
    throw invalidSetting(`${prefix}ssl.keystore.location`, 'A listener with https needs a key and its certificates')
  }
  const clientAuth = clientAuthOf(own[CLIENT_AUTH]?.trim() ?? 'none', prefix)
  if (clientAuth !== 'none' && tls.ca === undefined) {
    const reason = `${prefix}${CLIENT_AUTH}=${clientAuth} needs the authorities of the clients; otherwise every public one could admit them`
    throw invalidSetting(`${prefix}ssl.truststore.location`, reason)
  }
  try {
    createSecureContext(tls)
  } catch (thrown) {
    const reason = `The key of the https listener cannot be used: ${describeError(thrown)}`
    throw invalidSetting(`${prefix}ssl.keystore.location`, reason, thrown)
  }
  return { ...tls, clientAuth }
}

const CLIENT_AUTH = 'ssl.client.auth'

function clientAuthOf(value: string, prefix: string): ClientAuth {
  if (value === 'none' || value === 'requested' || value === 'required') return value
  throw invalidSetting(prefix + CLIENT_AUTH, `${prefix}${CLIENT_AUTH}=${value}: it must be none, requested or required`)
}
