import type { ConfigKey, ConnectValue, Field, Struct } from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import type { StructEdit } from './struct-edit.ts'

/** The option of most of Kafka's transformations. */
export const REPLACE_NULL_OPTION: ConfigKey = {
  name: 'replace.null.with.default',
  type: 'BOOLEAN',
  defaultValue: 'true',
  documentation: 'Whether a null in a field that has a default value becomes that value.',
  importance: 'MEDIUM',
}

/** What `replace.null.with.default` means for one transformation. */
export class NullDefaults {
  readonly #replacesNull: boolean

  constructor(replacesNull: boolean) {
    this.#replacesNull = replacesNull
  }

  /** Takes a field of the base into the changed struct. */
  keep(edit: StructEdit, field: Field, changes: Parameters<StructEdit['keep']>[1] = {}): void {
    requireNew(edit, changes.name ?? field.name)
    if (this.#replacesNull) edit.keepWithDefault(field, changes)
    else edit.keep(field, changes)
  }

  valueOf(struct: Struct, { index, schema }: Field): ConnectValue {
    const value = struct.at(index)
    return value === null && this.#replacesNull ? schema.defaultValue : value
  }
}

/** @throws FIELD_TWICE when the struct has a field of that name already */
export function requireNew(edit: StructEdit, name: string): void {
  if (edit.has(name)) throw transformErrors.FIELD_TWICE({ name })
}
