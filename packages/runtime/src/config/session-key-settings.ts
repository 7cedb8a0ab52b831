import { atLeast, type ConfigKey, type ConfigValues, type Validator } from '@tributary/connect-api'
import { invalidSetting } from './invalid-setting.ts'
import { MAC_ALGORITHM_NAMES, macAlgorithm } from './mac-algorithms.ts'

/** How the workers of a group sign the requests that they send to each other. */
export interface SessionKeySettings {
  readonly keyAlgorithm: string
  readonly keyBytes: number
  /** How long a key is used. */
  readonly keyTtlMs: number
  readonly signatureAlgorithm: string
  /** The algorithms that this worker accepts. */
  readonly verificationAlgorithms: readonly string[]
}

const isMac: Validator = (value) => (value === null ? null : macProblem(value))

const areMacs: Validator = (value) =>
  (Array.isArray(value) ? value : []).map(macProblem).find((problem) => problem !== null) ?? null

function macProblem(value: unknown): string | null {
  if (typeof value === 'string' && macAlgorithm(value) !== null) return null
  return `String must be one of (case insensitive): ${MAC_ALGORITHM_NAMES.join(', ')}`
}

/** The minimum of Java's key generators. */
const KEY_BITS_LEAST = 40
/** Longer keys are no safer: HMAC hashes a key that is longer than its block of 64 to 144 bytes. */
const KEY_BITS_MOST = 8192

export const sessionKeyKeys: readonly ConfigKey[] = [
  {
    name: 'inter.worker.key.generation.algorithm',
    type: 'STRING',
    defaultValue: 'HmacSHA256',
    validators: [isMac],
    documentation: 'Algorithm of the session keys with which workers sign the requests that they send to each other.',
  },
  {
    name: 'inter.worker.key.size',
    type: 'INT',
    defaultValue: null,
    validators: [atLeast(KEY_BITS_LEAST), isAtMost(KEY_BITS_MOST)],
    documentation:
      'Size of a session key in bits. Default: that of the algorithm, 256 bits for HmacSHA256. The leader replaces a stored key of another size, so all workers of a group should have the same value.',
  },
  {
    name: 'inter.worker.key.ttl.ms',
    type: 'INT',
    defaultValue: '3600000',
    validators: [atLeast(1)],
    documentation: 'Time after which the leader of the group replaces the session key, in milliseconds.',
  },
  {
    name: 'inter.worker.signature.algorithm',
    type: 'STRING',
    defaultValue: 'HmacSHA256',
    validators: [isMac],
    documentation: 'Algorithm with which this worker signs its requests to other workers of its group.',
  },
  {
    name: 'inter.worker.verification.algorithms',
    type: 'LIST',
    defaultValue: 'HmacSHA256',
    validators: [areMacs],
    documentation:
      'Signature algorithms that this worker accepts from the others, separated by commas. `inter.worker.signature.algorithm` must be one of them.',
  },
]

function isAtMost(maximum: number): Validator {
  return (value) => (value === null || Number(value) <= maximum ? null : `Value must be no more than ${maximum}`)
}

/** @throws WORKER_SETTING_INVALID */
export function readSessionKeySettings(values: ConfigValues): SessionKeySettings {
  const keyAlgorithm = values.string('inter.worker.key.generation.algorithm')
  const keyBits = values.optionalInteger('inter.worker.key.size')
  const signatureAlgorithm = values.string('inter.worker.signature.algorithm')
  const verificationAlgorithms = values.list('inter.worker.verification.algorithms')
  if (!verificationAlgorithms.includes(signatureAlgorithm)) {
    throw invalidSetting(
      'inter.worker.signature.algorithm',
      `Signature algorithm must be present in inter.worker.verification.algorithms list, but ${signatureAlgorithm} is not`,
    )
  }
  return {
    keyAlgorithm,
    keyBytes: keyBits === null ? (macAlgorithm(keyAlgorithm)?.keyBytes ?? 0) : Math.ceil(keyBits / 8),
    keyTtlMs: values.integer('inter.worker.key.ttl.ms'),
    signatureAlgorithm,
    verificationAlgorithms,
  }
}
