import { bigDecimalText, Decimal, scalarText, type Schema } from '@tributary/connect-api'
import { defaultText } from '../json/payload-compiler.ts'
import { jsonQuoted } from '../text/json-quoted.ts'
import { payloadOptions } from './json-schema-payload.ts'
import type { JsonSchemaOptions } from './json-schema-options.ts'

/** Returns the default of a schema as the registered schema contains it: numbers lose zeros after the point. */
export function jsonSchemaDefault(schema: Schema, options: JsonSchemaOptions): string {
  if (schema.type === 'string') return jsonQuoted(scalarText(schema, schema.defaultValue) ?? '')
  const text = defaultText(schema, schema.name ?? schema.type, payloadOptions(options))
  return /^-?[0-9]/.test(text) ? numberText(text) : text
}

/** A number after Java's JSON classes have printed it, and Jackson has read that as a BigDecimal and printed it again. */
function numberText(text: string): string {
  const shorter = /e/i.test(text) || !text.includes('.') ? text : text.replace(/\.?0+$/, '')
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(shorter)
  // An integer has no negative zero.
  if (parts === null || /^-?\d+$/.test(shorter)) return shorter === '-0' ? '0' : shorter
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  return bigDecimalText(new Decimal(BigInt(`${sign}${whole}${fraction}`), fraction.length - Number(exponent)))
}
