import type { FormDocument } from './connector-document.ts'
import { FormError } from './form-error.ts'
import { readHcl } from './hcl-reader.ts'
import type { HclBlock, HclExpression, HclValue } from './hcl-value.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The attributes of a resource whose entries are properties. */
const CONFIGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['confluent_connector', ['config_nonsensitive', 'config_sensitive']],
  ['kafka-connect_connector', ['config', 'config_sensitive']],
])

/**
 * The resources `confluent_connector` and `kafka-connect_connector` of a Terraform file. As in Terraform, a variable has
 * the value of `TF_VAR_name` of the environment, else its default in this file. Other expressions are an error where a
 * property needs them.
 */
export function readTerraform(text: string, environment: Environment): readonly FormDocument[] {
  const blocks = readHcl(text)
  const resources = blocks.filter(({ type, labels: [kind = ''] }) => type === 'resource' && CONFIGS.has(kind))
  if (resources.length === 0) {
    throw new FormError(`it has no resource of the type ${[...CONFIGS.keys()].join(' or ')}`)
  }
  const variables = new Variables(blocks, environment)
  return resources.map((resource) => readResource(resource, variables))
}

function readResource({ labels, attributes, at }: HclBlock, variables: Variables): FormDocument {
  const [kind = '', label = ''] = labels
  const config = new Map<string, string>()
  for (const attribute of CONFIGS.get(kind) ?? []) {
    const value = attributes.get(attribute)
    if (value === undefined || value.tag === 'null') continue
    if (value.tag === 'expression') throw variables.unknown(attribute, value)
    if (value.tag !== 'object') throw new FormError(`${attribute} is not a map`, value.at)
    for (const entry of value.entries) {
      const { key } = entry
      if (key === null) throw new FormError(`a key of ${attribute} is an expression; write its value`, entry.at)
      if (config.has(key)) throw new FormError(`the property ${key} occurs twice`, entry.at)
      const found = variables.textOf(`${attribute}["${key}"]`, entry.value)
      if (found !== null) config.set(key, found)
    }
  }
  const given = attributes.get('name')
  const name = (given === undefined ? null : variables.textOf('name', given)) ?? config.get('name')
  if (name === undefined || name === '') throw new FormError(`the resource ${label} has no name`, at)
  const status = attributes.get('status')
  const state = status === undefined ? null : variables.textOf('status', status)
  const isRepeated = attributes.has('count') || attributes.has('for_each')
  const notes = isRepeated ? [`count and for_each of ${label} are not evaluated: it is read once.`] : []
  return {
    name,
    config: Object.fromEntries(config),
    isNameFixed: true,
    notes,
    ...(state === null ? {} : { initialState: state }),
  }
}

/** The values of `var.NAME`. */
class Variables {
  readonly #defaults = new Map<string, HclValue>()
  readonly #environment: Environment

  constructor(blocks: readonly HclBlock[], environment: Environment) {
    this.#environment = environment
    for (const { type, labels, attributes } of blocks) {
      const value = attributes.get('default')
      if (type === 'variable' && value !== undefined) this.#defaults.set(labels[0] ?? '', value)
    }
  }

  /** The text of a value; null for one that Terraform leaves out. */
  textOf(what: string, value: HclValue): string | null {
    if (value.tag === 'null') return null
    if (value.tag === 'object') throw new FormError(`${what} is not a text, number or boolean`, value.at)
    const parts = value.tag === 'template' ? value.parts : [value]
    const [only] = parts
    if (parts.length === 1 && only !== undefined && typeof only !== 'string') return this.#valueOf(what, only)
    return parts.map((part) => (typeof part === 'string' ? part : (this.#valueOf(what, part) ?? ''))).join('')
  }

  unknown(what: string, { name, variable, at }: HclExpression): FormError {
    if (variable === null) {
      return new FormError(
        `${what} is an expression (${name}) that only Terraform evaluates; write its value, or a reference to a config provider ($\${file:/path:key})`,
        at,
      )
    }
    return new FormError(
      `${what} needs the variable ${variable}, which has no value here; set TF_VAR_${variable} in the environment, or write a reference to a config provider ($\${file:/path:key})`,
      at,
    )
  }

  #valueOf(what: string, expression: HclExpression): string | null {
    const { variable } = expression
    if (variable === null) throw this.unknown(what, expression)
    const given = this.#environment[`TF_VAR_${variable}`]
    if (given !== undefined) return given
    const value = this.#defaults.get(variable)
    // Terraform does not allow expressions in defaults.
    if (value === undefined || value.tag !== 'template') throw this.unknown(what, expression)
    return this.textOf(what, { ...value, parts: value.parts.filter((part) => typeof part === 'string') })
  }
}
