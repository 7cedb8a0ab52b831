import { ConfigDef, type ConfigKey, type ConfigMap, type ParsedValue } from '@tributary/connect-api'

/** Which settings of their Kafka clients connectors may override (KIP-458). */
export interface OverridePolicy {
  /** As Connect's texts name it. */
  readonly name: string
  /** `setting`: the name of a client's setting, without the prefix `producer.override.` or `admin.override.`. */
  allows(setting: string): boolean
}

const POLICY = 'connector.client.config.override.policy'
const ALLOWLIST = 'connector.client.config.override.allowlist'

/** Connect finds a policy by its class name, by the simple name of the class, or by its short name. */
const CLASS_SUFFIX = 'ConnectorClientConfigOverridePolicy'
const CLASS_PACKAGE = 'org.apache.kafka.connect.connector.policy.'

const NAMES = ['All', 'None', 'Principal', 'Allowlist'] as const
type PolicyName = (typeof NAMES)[number]

const PRINCIPAL_SETTINGS: readonly string[] = ['sasl.jaas.config', 'sasl.mechanism', 'security.protocol']

export const overridePolicyKeys: readonly ConfigKey[] = [
  {
    name: POLICY,
    type: 'CLASS',
    defaultValue: 'All',
    documentation:
      'Which settings of their Kafka clients connectors may override by `producer.override.…` and `admin.override.…`: `All`, `None`, `Allowlist` (those of `connector.client.config.override.allowlist`) or `Principal` (`sasl.jaas.config`, `sasl.mechanism`, `security.protocol`), by short name or by class name.',
    importance: 'MEDIUM',
    validators: [isKnownPolicy],
  },
  {
    name: ALLOWLIST,
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Settings that connectors may override with the policy `Allowlist`, under their names without prefix, separated by commas.',
    importance: 'MEDIUM',
  },
]

/** The policy of a worker. `worker`: its valid properties. */
export function overridePolicy(worker: ConfigMap): OverridePolicy {
  const values = new ConfigDef(overridePolicyKeys).parse(worker)
  const name = policyName(values.string(POLICY)) ?? 'None'
  return { name, allows: (setting) => allowedSettings(name, values.list(ALLOWLIST))?.includes(setting) ?? true }
}

/** Null: all. */
function allowedSettings(name: PolicyName, allowlist: readonly string[]): readonly string[] | null {
  switch (name) {
    case 'All':
      return null
    case 'None':
      return []
    case 'Principal':
      return PRINCIPAL_SETTINGS
    case 'Allowlist':
      return allowlist
  }
}

/** Letters match in any case, unlike in Connect: documents spell it `AllowList`, too. */
function policyName(text: string): PolicyName | null {
  const short = text.startsWith(CLASS_PACKAGE) ? text.slice(CLASS_PACKAGE.length) : text
  const name = short.endsWith(CLASS_SUFFIX) ? short.slice(0, -CLASS_SUFFIX.length) : short
  return NAMES.find((each) => each.toLowerCase() === name.toLowerCase()) ?? null
}

function isKnownPolicy(value: ParsedValue): string | null {
  if (typeof value === 'string' && policyName(value) !== null) return null
  return `Class could not be found. The policies are ${NAMES.join(', ')}`
}
