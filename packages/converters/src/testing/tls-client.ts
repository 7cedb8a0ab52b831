import { Schemas } from '@tributary/connect-api'
import { CodedError } from '@tributary/support'
import type { CertificateRequest } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { AvroConverter } from '../avro/avro-converter.ts'

/** Options of a converter. */
export type Options = Readonly<Record<string, string>>

/** Texts of libraries that no user should read. The random name of a folder may contain `0x`. */
const INTERNAL = /routines|deps\/openssl|\.cc?:|[ (:]0x[0-9a-f]|error:[0-9A-F]{8}|Node\.js|Error:/

/** Registers a schema at a registry with TLS. Returns `accepted`, or the code and message of the error. */
export async function registerWithTls(
  host: string,
  port: number,
  options: Options,
): Promise<{ code: string; message: string }> {
  const converter = new AvroConverter()
  try {
    const url = `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
    converter.configure({ 'schema.registry.url': url, ...options }, true)
    await converter.register(Schemas.string, 't', new AbortController().signal)
    return { code: 'accepted', message: '' }
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error))
    assert.doesNotMatch(error.message, INTERNAL)
    return error
  }
}

/** A request for a certificate that is right for every loopback host. */
export const everyName: CertificateRequest = { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1,IP:::1' }
/** The options that trust an authority. */
export const trusting = (path: string): Options => ({ 'schema.registry.ssl.truststore.location': path })
