import { ConfigDef, type ConfigKey, type Validator } from '@tributary/connect-api'
import { ExpressionSyntaxError } from '../expression/expression-error.ts'
import { Expression } from '../expression/expression.ts'
import { type Language, languageOfEngine } from '../expression/language.ts'
import { enumValidator } from '../stage/enum-option.ts'
import { isJavaPattern } from '../stage/pattern-options.ts'

const NULL_MODES = ['keep', 'drop', 'evaluate'] as const
/** What becomes of records without a value. */
export type NullMode = (typeof NULL_MODES)[number]

const PREFIX = 'jsr223.'

/** The language that the option `language` names; null: another one. */
export function languageOf(option: string): Language | null {
  return option.startsWith(PREFIX) ? languageOfEngine(option.slice(PREFIX.length)) : null
}

const isLanguage: Validator = (value) => {
  if (typeof value !== 'string' || value.trim() === '') return 'A value is required'
  if (languageOf(value) !== null) return null
  if (value.startsWith('wasm.')) {
    return 'WebAssembly modules are not supported; write the expression in jsr223.groovy or jsr223.graal.js'
  }
  return value.startsWith(PREFIX)
    ? `Implementation of language '${value.slice(PREFIX.length)}' not found; write jsr223.groovy or jsr223.graal.js`
    : "Value for option 'language' must begin with 'jsr223.' or 'wasm', e.g. 'jsr223.groovy'"
}

/** Refuses an expression when the connector is registered. */
const isExpression: Validator = (value, all) => {
  if (typeof value !== 'string' || value.trim() === '') return 'A value is required'
  const language = languageOf(String(all.get('language') ?? ''))
  if (language === null) return null
  try {
    void new Expression(value, language)
    return null
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return error.message
    throw error
  }
}

/** The options of Filter and ContentBasedRouter in Debezium's order, with the option that has the expression. */
export function scriptingConfig(expression: Pick<ConfigKey, 'name' | 'documentation' | 'displayName'>): ConfigDef {
  return new ConfigDef([
    {
      name: 'topic.regex',
      type: 'STRING',
      defaultValue: null,
      documentation:
        'Regular expression that must match the whole topic name of a record; other records stay unchanged.',
      importance: 'LOW',
      width: 'LONG',
      displayName: 'Topic regex',
      validators: [isJavaPattern],
    },
    {
      name: 'language',
      type: 'STRING',
      defaultValue: null,
      documentation: 'Language of the expression: `jsr223.groovy`, `jsr223.graal.js` or `jsr223.js`.',
      importance: 'HIGH',
      width: 'MEDIUM',
      displayName: 'Expression language',
      validators: [isLanguage],
    },
    {
      ...expression,
      type: 'STRING',
      defaultValue: null,
      importance: 'HIGH',
      width: 'MEDIUM',
      validators: [isExpression],
    },
    {
      name: 'null.handling.mode',
      type: 'STRING',
      defaultValue: 'keep',
      documentation:
        'What becomes of records without a value. `keep`: they stay unchanged. `drop`: they are removed. `evaluate`: the expression decides.',
      importance: 'LOW',
      width: 'SHORT',
      displayName: 'Handle null records',
      validators: [enumValidator(NULL_MODES)],
    },
  ])
}
