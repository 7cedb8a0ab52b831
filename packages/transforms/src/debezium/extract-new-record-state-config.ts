import { ConfigDef } from '@tributary/connect-api'
import { enumValidator } from '../stage/enum-option.ts'

const DELETE_MODES = ['drop', 'tombstone', 'rewrite', 'rewrite-with-tombstone', 'delete-to-tombstone'] as const

/** Values of `delete.tombstone.handling.mode`. */
export type DeleteMode = (typeof DELETE_MODES)[number]

/** The options of Debezium 3.6, in its order. */
export const extractNewRecordStateConfig: ConfigDef = new ConfigDef([
  {
    name: 'delete.tombstone.handling.mode',
    type: 'STRING',
    defaultValue: 'tombstone',
    documentation:
      'What becomes of deleted rows. `drop`: no record. `tombstone`: one tombstone. `rewrite`: the row with `__deleted` = `true`, no tombstone. `rewrite-with-tombstone`: both. `delete-to-tombstone`: a tombstone without a schema.',
    importance: 'MEDIUM',
    width: 'MEDIUM',
    displayName: 'Handle delete and tombstone records',
    validators: [enumValidator(DELETE_MODES)],
  },
  {
    name: 'add.fields',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Fields of the event to add to the row: `op`, `table`, `source.ts_ms`; `op:OPERATION` adds it under another name.',
    width: 'LONG',
    displayName: 'Adds the specified field(s) to the message if they exist.',
  },
  {
    name: 'add.fields.prefix',
    type: 'STRING',
    defaultValue: '__',
    documentation: 'Prefix of the names of added fields.',
    width: 'SHORT',
    displayName: 'Field prefix to be added to each field.',
  },
  {
    name: 'add.headers',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Fields of the event to add as headers, in the form of `add.fields`.',
    width: 'LONG',
    displayName: 'Adds the specified fields to the header if they exist.',
  },
  {
    name: 'add.headers.prefix',
    type: 'STRING',
    defaultValue: '__',
    documentation: 'Prefix of the names of added headers.',
    width: 'SHORT',
    displayName: 'Header prefix to be added to each header.',
  },
  {
    name: 'drop.fields.from.key',
    type: 'BOOLEAN',
    defaultValue: 'false',
    documentation: 'Whether the fields that `drop.fields.header.name` lists are removed from the key too.',
    width: 'SHORT',
    displayName: 'Specifies whether the fields to be dropped should also be omitted from the key',
  },
  {
    name: 'drop.fields.header.name',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Header with a list of names: the fields to remove from the row.',
    width: 'SHORT',
    displayName: 'Specifies a header that contains a list of field names to be removed',
  },
  {
    name: 'drop.fields.keep.schema.compatible',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Whether only optional fields are removed.',
    width: 'SHORT',
    displayName: "Specifies if fields are dropped, will the event's schemas be compatible",
  },
  {
    name: 'route.by.field',
    type: 'STRING',
    defaultValue: '',
    documentation: 'Field of the row whose value replaces the topic name.',
    width: 'LONG',
    displayName: 'Route by field name',
  },
])
