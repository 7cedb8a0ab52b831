import { Schema } from '@tributary/connect-api'
import { parseInet4, parseInet6 } from '@tributary/mysql'
import type { TypeMapping } from './column-mapping.ts'

/** UUID of MariaDB: its text. As in the reference, the schema has no default. */
export function uuidMapping(): TypeMapping {
  return {
    schema: (common) => Schema.of('string', { ...common, name: 'io.debezium.data.Uuid', version: 1 }),
    target: () => ({ kind: 'uuid', of: (text) => text }),
    fallback: '',
    parseDefault: () => undefined,
  }
}

/** INET4 and INET6 of MariaDB, which the reference does not support: the text that the server prints. */
export function addressMapping(kind: 'inet4' | 'inet6'): TypeMapping {
  return {
    schema: (common) => Schema.of('string', common),
    target: () => ({ kind, of: (text) => text }),
    fallback: kind === 'inet4' ? '0.0.0.0' : '::',
    parseDefault: kind === 'inet4' ? parseInet4 : parseInet6,
  }
}
