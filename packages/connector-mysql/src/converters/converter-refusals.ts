import type { ConfigMap } from '@tributary/connect-api'
import { regexListRefusal } from '@tributary/connector-kit'
import { type ConverterClass, converterClasses, converterClassOf } from './converter-classes.ts'
import { namesIn, optionsOf } from './converter-options.ts'
import { isNullToken } from './zero-date-literals.ts'
import { zeroDateLiterals } from './zero-date-fallback.ts'

type Refusals = Readonly<Record<string, readonly string[]>>

/** Why the converters of a configuration are refused, by property. */
export function converterRefusals(config: ConfigMap): Refusals {
  const refusals: Record<string, readonly string[]> = {}
  for (const name of namesIn(config['converters'])) {
    const type = `${name}.type`
    const found = converterClassOf(config[type])
    if (found === null) refusals[type] = [invalid(type, classRefusal(name, config[type] ?? ''))]
    else Object.assign(refusals, optionRefusals(name, found, optionsOf(config, name)))
  }
  return refusals
}

/** The names of the properties that configure converters. */
export function converterProperties(config: ConfigMap): readonly string[] {
  return namesIn(config['converters']).flatMap((name) => {
    const { selectors = [], options = [] } = converterClassOf(config[`${name}.type`]) ?? {}
    const ofColumns = Object.keys(optionsOf(config, name)).filter((option) => COLUMN_FALLBACK.test(option))
    return ['type', ...selectors, ...options, ...ofColumns].map((option) => `${name}.${option}`)
  })
}

const COLUMN_FALLBACK = /^column\..+\.fallback$/

function classRefusal(name: string, className: string): string {
  if (className.trim() === '')
    return `A value is required: the class of the converter ${name}, which 'converters' names`
  if (RECORD_CONVERTERS.test(className.trim())) {
    return `${className} converts whole records: set it as value.converter instead, and remove ${name} from 'converters'`
  }
  const instead = /time|date/i.test(className)
    ? `For dates and times, time.precision.mode (isostring, for example) or the transformation org.apache.kafka.connect.transforms.TimestampConverter may replace it`
    : 'A transformation such as org.apache.kafka.connect.transforms.Cast may replace it'
  const available = converterClasses.map(({ classNames: [first = ''] }) => first).join(', ')
  return `${className} is a Java class that Tributary does not have, and it runs no Java. It has ${available}. ${instead}; without the converter, its columns would have another form`
}

const RECORD_CONVERTERS = /^io\.debezium\.converters\.\w+$/

function optionRefusals(name: string, { selectors }: ConverterClass, options: ConfigMap): Refusals {
  const refusals: Record<string, readonly string[]> = {}
  for (const selector of selectors) {
    const reason = regexListRefusal(options[selector] ?? '')
    const property = `${name}.${selector}`
    if (reason !== null) refusals[property] = [invalid(property, reason)]
  }
  for (const [option, text] of Object.entries(options)) {
    const reason = fallbackRefusal(option, text)
    const property = `${name}.${option}`
    if (reason !== null) refusals[property] = [invalid(property, reason)]
  }
  return refusals
}

/** A literal that no row could have would fail the first zero date. */
function fallbackRefusal(option: string, text: string): string | null {
  if (isNullToken(text)) return null
  const literals = Object.entries(zeroDateLiterals)
  const ofType = literals.find(([type]) => option === `fallback.${type.toLowerCase()}`)?.[1]
  if (ofType !== undefined) return ofType.parse(text) === null ? `NULL or ${ofType.form} is expected` : null
  // Which of the types the column has is known only with its table.
  if (!COLUMN_FALLBACK.test(option) || literals.some(([, { parse }]) => parse(text) !== null)) return null
  return `NULL or a literal is expected: ${literals.map(([type, { form }]) => `${form} for ${type}`).join(', ')}`
}

function invalid(property: string, reason: string): string {
  return `The '${property}' value is invalid: ${reason}`
}
