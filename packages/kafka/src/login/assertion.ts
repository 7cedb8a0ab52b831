import { createPrivateKey, randomUUID, sign, type KeyObject } from 'node:crypto'
import { tlsFailureText, toError, type Clock } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { Assertion } from '../api/token-settings.ts'
import { membersOfJson } from './jwt.ts'
import { smallFile } from './token-file.ts'

type Signed = Extract<Assertion, { readonly tag: 'signed' }>

const KEY_SETTING = 'sasl.oauthbearer.assertion.private.key.file'
const TEMPLATE_SETTING = 'sasl.oauthbearer.assertion.template.file'

/** The assertion for one request. Files are read each time, because another program may renew them. */
export async function assertionText(assertion: Assertion, clock: Clock): Promise<string> {
  if (assertion.tag === 'file') return (await smallFile(assertion.path, 'sasl.oauthbearer.assertion.file')).trim()
  const { algorithm, claims, expiresInSeconds, validSinceSeconds, hasId } = assertion
  const template = await templateOf(assertion)
  const seconds = Math.floor(clock.now() / 1000)
  const header = { alg: algorithm, typ: 'JWT', ...template.header }
  const payload = {
    iat: seconds,
    exp: seconds + expiresInSeconds,
    nbf: seconds - validSinceSeconds,
    ...(hasId && { jti: randomUUID() }),
    ...template.payload,
    ...claims,
  }
  const content = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const key = await privateKey(assertion)
  // JSON Web Signature wants the two numbers of an ECDSA signature, not their DER.
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' })
  return `${content}.${signature.toString('base64url')}`
}

const KEY_TYPES = { RS256: 'rsa', ES256: 'ec' } as const

async function privateKey({ algorithm, privateKeyPath: path, passphrase }: Signed): Promise<KeyObject> {
  const text = await smallFile(path, KEY_SETTING)
  let key: KeyObject
  try {
    key = createPrivateKey({ key: text, ...(passphrase !== null && { passphrase }) })
  } catch (thrown) {
    const reason = `it cannot be read (${tlsFailureText(toError(thrown))}); check sasl.oauthbearer.assertion.private.key.passphrase`
    throw kafkaErrors.SETTING_INVALID({ name: KEY_SETTING, value: path, reason }, thrown)
  }
  if (key.asymmetricKeyType === KEY_TYPES[algorithm]) return key
  const reason = `sasl.oauthbearer.assertion.algorithm is ${algorithm}, which needs a key of type ${KEY_TYPES[algorithm]}`
  throw kafkaErrors.SETTING_INVALID({ name: KEY_SETTING, value: path, reason })
}

type Members = Readonly<Record<string, unknown>>

async function templateOf({
  templatePath: path,
}: Signed): Promise<{ readonly header: Members; readonly payload: Members }> {
  if (path === null) return { header: {}, payload: {} }
  const text = await smallFile(path, TEMPLATE_SETTING)
  const members = membersOfJson(text)
  if (members !== null) {
    const { header = {}, payload = {} } = members
    if (isObject(header) && isObject(payload)) return { header, payload }
  }
  const reason = 'it is not a JSON object with the objects "header" and "payload"'
  throw kafkaErrors.SETTING_INVALID({ name: TEMPLATE_SETTING, value: path, reason })
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
