import type { ConfigMap } from '@tributary/connect-api'
import { regexListRefusal } from '@tributary/connector-kit'
import {
  EXCLUDE,
  INCLUDE,
  ON_ERROR,
  reselectOptionNames,
  reselectOptions,
  type ReselectOptions,
} from './reselect-options.ts'

const LIST = 'post.processors'
const RESELECT = 'io.debezium.processors.reselect.ReselectColumnsPostProcessor'

interface NamedProcessor {
  readonly name: string
  /** Of its properties: `post.processors.NAME`, or `NAME`, the form of older releases. */
  readonly prefix: string
  readonly options: ConfigMap
}

/** The processors of a connector, in their order. @throws SyntaxError for options that are refused */
export function postProcessors(config: ConfigMap): readonly ReselectOptions[] {
  return namedProcessors(config).map(({ options }) => reselectOptions(options))
}

/** Why the processors of a configuration are refused, by property. */
export function postProcessorRefusals(config: ConfigMap): Readonly<Record<string, readonly string[]>> {
  const refusals: Record<string, readonly string[]> = {}
  const refuse = (property: string, reason: string): void => {
    refusals[property] = [`The '${property}' value is invalid: ${reason}`]
  }
  for (const { name, prefix, options } of namedProcessors(config)) {
    const type = options['type']?.trim() ?? ''
    if (type === '') refuse(`${prefix}.type`, `A value is required: the class of the post processor ${name}`)
    else if (type !== RESELECT) {
      refuse(
        `${prefix}.type`,
        `${type} is a Java class that Tributary does not have, and it runs no Java. It has ${RESELECT}. A transformation may replace others; without the post processor, events would have other values`,
      )
    }
    for (const list of [INCLUDE, EXCLUDE]) {
      const reason = regexListRefusal(options[list] ?? '')
      if (reason !== null) refuse(`${prefix}.${list}`, reason)
    }
    const mode = options[ON_ERROR]?.trim().toLowerCase() ?? ''
    if (!['', 'warn', 'fail'].includes(mode)) refuse(`${prefix}.${ON_ERROR}`, 'Value must be one of warn, fail')
  }
  return refusals
}

/** The names of the properties that configure processors. */
export function postProcessorProperties(config: ConfigMap): readonly string[] {
  const processors = namedProcessors(config)
  if (processors.length === 0) return []
  const own = processors.flatMap(({ prefix }) => ['type', ...reselectOptionNames].map((each) => `${prefix}.${each}`))
  return own
}

function namedProcessors(config: ConfigMap): readonly NamedProcessor[] {
  const names = (config[LIST] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return names.map((name) => {
    const options = optionsOf(config, `${LIST}.${name}`)
    const isOldForm = Object.keys(options).length === 0
    return isOldForm
      ? { name, prefix: name, options: optionsOf(config, name) }
      : { name, prefix: `${LIST}.${name}`, options }
  })
}

function optionsOf(config: ConfigMap, prefix: string): ConfigMap {
  const start = `${prefix}.`
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      name.startsWith(start) ? [[name.slice(start.length), value] as const] : [],
    ),
  )
}
