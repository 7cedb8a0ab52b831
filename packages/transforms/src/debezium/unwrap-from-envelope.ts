import type { ConfigDef, ConfigMap, ConfigValues, StageContext } from '@tributary/connect-api'
import { enumValidator } from '../stage/enum-option.ts'
import type { DeleteHandling } from './delete-handling.ts'
import type { EventField } from './event-field.ts'
import { extractNewRecordStateConfig } from './extract-new-record-state-config.ts'
import { valueValidator } from './value-validator.ts'

/** Options of Debezium 1.x, and what replaces them. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  'drop.tombstones': 'delete.tombstone.handling.mode',
  'drop.deletes': 'delete.tombstone.handling.mode',
  'delete.handling.mode': 'delete.tombstone.handling.mode',
  'operation.header': 'add.headers=op',
  'add.source.fields': 'add.fields=source.FIELD',
}

/** The options of the class's name before Debezium 1.0: those of today and their predecessors. */
export const unwrapFromEnvelopeConfig: ConfigDef = extractNewRecordStateConfig.with([
  {
    name: 'drop.tombstones',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Old option: whether the tombstone after a delete is dropped.',
    width: 'SHORT',
    displayName: 'Drop tombstones',
  },
  {
    name: 'drop.deletes',
    type: 'BOOLEAN',
    defaultValue: null,
    documentation: 'Older form of `delete.handling.mode`: `true` is `drop`, `false` is `none`.',
    importance: 'MEDIUM',
    width: 'SHORT',
    displayName: 'Drop outgoing tombstones',
  },
  {
    name: 'delete.handling.mode',
    type: 'STRING',
    defaultValue: 'drop',
    documentation:
      'Old option: what becomes of deleted rows. `drop`: no record. `rewrite`: the row with `__deleted` = `true`. `none`: a value of null.',
    importance: 'MEDIUM',
    width: 'MEDIUM',
    displayName: 'Handle delete records',
    validators: [valueValidator('delete.handling.mode', enumValidator(['drop', 'rewrite', 'none']))],
  },
  {
    name: 'operation.header',
    type: 'BOOLEAN',
    defaultValue: 'false',
    documentation: 'Old option: whether the operation is added as the header `__debezium-operation`.',
    width: 'SHORT',
    displayName: 'Adds the debezium operation into the message header',
  },
  {
    name: 'add.source.fields',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Old option: fields of the source to add to the row: `table` becomes `__table`.',
    width: 'LONG',
    displayName: "Adds the specified fields from the 'source' field from the payload if they exist.",
  },
])

/** What the old options mean. */
export interface OldOptions {
  /** Null: `delete.tombstone.handling.mode` is set, which has precedence. */
  readonly deletes: DeleteHandling | null
  readonly fields: readonly EventField[]
  readonly headers: readonly EventField[]
}

/** Reads the old options under the old name of the class. Logs a warning for each that is set. */
export function readOldOptions(options: ConfigMap, values: ConfigValues, { logger }: StageContext): OldOptions {
  for (const [option, successor] of present(options)) {
    logger.warn('an option of Debezium 1.x is used: replace it', { option, successor })
  }
  const sourceFields = values.list('add.source.fields')
  return {
    deletes: options['delete.tombstone.handling.mode'] === undefined ? oldHandling(options, values) : null,
    fields: sourceFields.map((field) => ({ struct: 'source', field, newName: `__${field}` })),
    headers: values.boolean('operation.header') ? [{ struct: null, field: 'op', newName: '__debezium-operation' }] : [],
  }
}

/** Logs a warning for each old option under the present name of the class, where they have no effect, as in Debezium. */
export function warnOfOldOptions(options: ConfigMap, { logger }: StageContext): void {
  for (const [option, successor] of present(options)) {
    logger.warn('an option of Debezium 1.x has no effect', { option, successor })
  }
}

function present(options: ConfigMap): readonly (readonly [option: string, successor: string])[] {
  return Object.entries(SUCCESSORS).filter(([option]) => options[option] !== undefined)
}

function oldHandling(options: ConfigMap, values: ConfigValues): DeleteHandling {
  const mode = values.string('delete.handling.mode').toLowerCase()
  const effective = options['drop.deletes'] === undefined ? mode : values.boolean('drop.deletes') ? 'drop' : 'none'
  const ofDeletes = effective === 'none' ? 'null' : effective === 'rewrite' ? 'rewrite' : 'drop'
  return { ofDeletes, keepsTombstones: !values.boolean('drop.tombstones') }
}
