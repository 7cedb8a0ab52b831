import type { ConfigDef, ConfigMap, ConfigValues, StageContext } from '@tributary/connect-api'
import { enumValidator } from '../stage/enum-option.ts'
import type { DeleteHandling } from './delete-handling.ts'
import type { EventField } from './event-field.ts'
import { extractNewRecordStateConfig } from './extract-new-record-state-config.ts'
import { valueValidator } from './value-validator.ts'

/** Options of releases before 3.2, and what replaces them. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  'drop.tombstones': 'delete.tombstone.handling.mode',
  'drop.deletes': 'delete.tombstone.handling.mode',
  'delete.handling.mode': 'delete.tombstone.handling.mode',
  'operation.header': 'add.headers=op:__debezium-operation with an empty add.headers.prefix',
  'add.source.fields': 'add.fields=source.FIELD:FIELD',
}

/** The options about deleted rows form one setting. One that is not set has its default before 3.2. */
const DELETE_OPTIONS: readonly string[] = ['drop.tombstones', 'drop.deletes', 'delete.handling.mode']

/**
 * The options of today and their predecessors. The class has the latter under its name before Debezium 1.0; under its
 * present name it reads them, too, so that documents for releases before 3.2 keep their meaning.
 */
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

/**
 * Reads the old options. Logs a warning for each that is set.
 *
 * @param isOldName whether the class has its name before Debezium 1.0, and so the defaults of that time
 */
export function readOldOptions(
  options: ConfigMap,
  values: ConfigValues,
  { logger, isOldName }: StageContext & { readonly isOldName: boolean },
): OldOptions {
  const hasSuccessor = options['delete.tombstone.handling.mode'] !== undefined
  for (const [option, successor] of Object.entries(SUCCESSORS)) {
    if (options[option] === undefined) continue
    const isReplaced = hasSuccessor && DELETE_OPTIONS.includes(option)
    const text = isReplaced
      ? `The option ${option} has no effect, because ${successor} is set. Remove it`
      : `The option ${option} is an old one, and has its old effect. Replace it by ${successor}`
    logger.warn(text, { option })
  }
  const isOld = isOldName || DELETE_OPTIONS.some((option) => options[option] !== undefined)
  const sourceFields = values.list('add.source.fields')
  return {
    deletes: isOld && !hasSuccessor ? oldHandling(options, values) : null,
    fields: sourceFields.map((field) => ({ struct: 'source', field, newName: `__${field}` })),
    headers: values.boolean('operation.header') ? [{ struct: null, field: 'op', newName: '__debezium-operation' }] : [],
  }
}

function oldHandling(options: ConfigMap, values: ConfigValues): DeleteHandling {
  const mode = values.string('delete.handling.mode').toLowerCase()
  const effective = options['drop.deletes'] === undefined ? mode : values.boolean('drop.deletes') ? 'drop' : 'none'
  const ofDeletes = effective === 'none' ? 'null' : effective === 'rewrite' ? 'rewrite' : 'drop'
  return { ofDeletes, keepsTombstones: !values.boolean('drop.tombstones') }
}
