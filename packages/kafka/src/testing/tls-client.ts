import { captureLogger } from '@tributary/testkit'
import { CodedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { kafkaOptionsFromProperties } from '../config/client-properties.ts'
import { testKafka } from './clients.ts'

/** Texts of libraries that no user should read. */
const INTERNAL = /routines|deps\/openssl|\.cc?:|0x|error:[0-9A-F]{8}|Error:/

/** The outcome of a connection: `accepted`, or the code and the message of the error. */
export interface TlsOutcome {
  readonly code: string
  readonly message: string
}

/** Connects to a broker with the properties of a Java client, and makes a request. */
export async function connectWithTls(
  { host, port }: { readonly host: string; readonly port: number },
  properties: Readonly<Record<string, string>>,
): Promise<TlsOutcome> {
  const address = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
  const logger = captureLogger()
  try {
    const options = kafkaOptionsFromProperties({
      'bootstrap.servers': address,
      'security.protocol': 'SSL',
      ...properties,
    })
    await using admin = testKafka(options.bootstrapServers, { ...options, logger }).admin()
    await admin.cluster(AbortSignal.timeout(30_000))
    return { code: 'accepted', message: '' }
  } catch (error) {
    // A retry cannot fix a certificate: an error that is retried ends in a StoppedError.
    assert.ok(error instanceof CodedError, `${address}: ${String(error)} ${JSON.stringify(logger.lines)}`)
    assert.doesNotMatch(error.message, INTERNAL)
    return { code: error.code, message: error.message }
  }
}
