import type { FormDocument } from './connector-document.ts'
import { FormError } from './form-error.ts'
import { isObject } from './json-form.ts'

type Resource = Readonly<Record<string, unknown>>

/** Whether a YAML document is a resource of Kubernetes. */
export function isResource(document: unknown): document is Resource {
  return isObject(document) && typeof document['kind'] === 'string' && document['apiVersion'] !== undefined
}

/**
 * The connectors among resources of Kubernetes: Strimzi's `KafkaConnector`, with the fields that its operator sends to
 * Connect.
 */
export function readResources(resources: readonly Resource[]): readonly FormDocument[] {
  const all = resources.flatMap((resource) => itemsOf(resource))
  const connectors = all.filter(({ kind }) => kind === 'KafkaConnector')
  const others = new Set(all.filter(({ kind }) => kind !== 'KafkaConnector').map(({ kind }) => String(kind)))
  const skipped = [...others].map((kind) => `Resources of the kind ${kind} are not read.`)
  if (connectors.length === 0 && others.size > 0) {
    throw new FormError(`it has no resource of the kind KafkaConnector, only ${[...others].join(', ')}`)
  }
  return connectors.map((connector, index) => {
    const document = readConnector(connector)
    return { ...document, notes: [...(index === 0 ? skipped : []), ...(document.notes ?? [])] }
  })
}

function itemsOf(resource: Resource): readonly Resource[] {
  if (resource['kind'] !== 'List' || !Array.isArray(resource['items'])) return [resource]
  return resource['items'].filter((item) => isResource(item))
}

/** Fields of `spec` that reach Connect. The others are for the operator. */
const FIELDS: ReadonlySet<string> = new Set(['class', 'tasksMax', 'config', 'state', 'pause'])

function readConnector({ metadata, spec }: Resource): FormDocument {
  const name = isObject(metadata) ? metadata['name'] : undefined
  const where = typeof name === 'string' ? `the KafkaConnector ${name}` : 'a KafkaConnector'
  if (typeof name !== 'string' || name === '') throw new FormError(`${where} has no metadata.name`)
  if (!isObject(spec)) throw new FormError(`${where} has no spec`)
  const config = new Map<string, string>()
  const given = spec['config'] ?? {}
  if (!isObject(given)) throw new FormError(`spec.config of ${where} is not a map`)
  for (const [property, value] of Object.entries(given)) {
    config.set(property, textOf(value, `spec.config.${property} of ${where}`))
  }
  const notes: string[] = []
  const own = { 'connector.class': spec['class'], 'tasks.max': spec['tasksMax'], name }
  for (const [property, value] of Object.entries(own)) {
    if (value === undefined || value === null) continue
    const text = textOf(value, `spec of ${where}`)
    const other = config.get(property)
    if (other !== undefined && other !== text)
      notes.push(`spec.config.${property} of ${name} is ignored, as by Strimzi.`)
    if (property !== 'name') config.set(property, text)
    else config.delete(property)
  }
  const operators = Object.keys(spec).filter((field) => !FIELDS.has(field))
  if (operators.length > 0) notes.push(`Of ${name}, ${operators.join(', ')} are for Strimzi's operator and not read.`)
  return { name, config: Object.fromEntries(config), initialState: stateOf(spec, where), isNameFixed: true, notes }
}

const STATES: Readonly<Record<string, string>> = { running: 'RUNNING', paused: 'PAUSED', stopped: 'STOPPED' }

function stateOf({ state, pause }: Resource, where: string): string | undefined {
  if (state === undefined || state === null) return pause === true ? 'PAUSED' : undefined
  const found = typeof state === 'string' && Object.hasOwn(STATES, state) ? STATES[state] : undefined
  if (found === undefined) throw new FormError(`spec.state of ${where} is not running, paused or stopped`)
  return found
}

/** Values need not be texts; those of a list are joined. */
function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.map((item) => textOf(item, what)).join(',')
  throw new FormError(
    value === null ? `${what} is null; leave it out` : `${what} is not a text, number, boolean or list`,
  )
}
