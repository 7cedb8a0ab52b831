import { describeError, pemProblem, readStoreFile, tlsFailureText, toError } from '@tributary/support'
import { createSecureContext } from 'node:tls'
import { refused, type Setting } from './otlp-setting.ts'

/** PEM, for Node's TLS. */
export interface OtlpCertificates {
  /** Trusted authorities, instead of those of Node. */
  readonly ca?: string
  /** The certificate of the worker with those of its authorities, and its private key. */
  readonly cert?: string
  readonly key?: string
}

/**
 * Reads the files that the variables name.
 *
 * @throws OTLP_SETTING
 */
export function otlpCertificates(settings: {
  readonly trusted: Setting
  readonly chain: Setting
  readonly key: Setting
}): OtlpCertificates {
  const { trusted, chain, key } = settings
  if ((chain.value === '') !== (key.value === '')) {
    throw refused(chain.value === '' ? key : chain, 'the certificate of a client and its key are needed together')
  }
  return {
    ...(trusted.value === '' ? {} : { ca: authorities(trusted) }),
    ...(chain.value === '' ? {} : client(chain, key)),
  }
}

function authorities(trusted: Setting): string {
  const pem = fileOf(trusted)
  const problem = pemProblem(pem)
  if (problem !== null) throw refused(trusted, problem)
  return pem
}

function client(chain: Setting, key: Setting): OtlpCertificates {
  const identity = { cert: fileOf(chain), key: fileOf(key) }
  try {
    createSecureContext(identity)
  } catch (error) {
    throw refused(chain, `it or the key in ${key.value} cannot be used (${tlsFailureText(toError(error))})`)
  }
  return identity
}

function fileOf(setting: Setting): string {
  try {
    return readStoreFile(setting.value).toString('utf8')
  } catch (error) {
    throw refused(setting, describeError(error))
  }
}
