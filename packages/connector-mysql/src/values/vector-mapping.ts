import { type ConnectValue, Schema } from '@tributary/connect-api'
import type { TypeMapping } from './column-mapping.ts'

/** VECTOR of MySQL, and of MariaDB 11.7: the numbers of its dimensions. A default is always an expression. */
export function vectorMapping(): TypeMapping {
  return {
    schema: (common) =>
      Schema.array(Schema.of('float'), { ...common, name: 'io.debezium.data.FloatVector', version: 1 }),
    target: () => ({ kind: 'vector', of: numbersOf }),
    fallback: [],
    parseDefault: () => undefined,
  }
}

function numbersOf(bytes: Buffer, start: number, end: number): ConnectValue {
  const numbers: number[] = []
  for (let at = start; at < end; at += 4) numbers.push(bytes.readFloatLE(at))
  return numbers
}
