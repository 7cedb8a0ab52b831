import { ConfigDef, type ConfigKey, nameAdjustments, type Validator } from '@tributary/connect-api'
import { enumValidator } from '../stage/enum-option.ts'
import { isJavaPattern } from '../stage/pattern-options.ts'
import { isRequired, valueValidator } from './value-validator.ts'

const needsReplacement: Validator = (value, all) => {
  const regex = all.get('key.field.regex')
  const isMissing = typeof regex === 'string' && regex !== '' && (value === null || value === '')
  return isMissing ? 'key.field.replacement must be non-empty if key.field.regex is set.' : null
}

const topicKeys: readonly ConfigKey[] = [
  {
    name: 'topic.regex',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Regular expression that must match the whole topic name. Records of other topics stay as they are.',
    importance: 'LOW',
    width: 'LONG',
    displayName: 'Topic regex',
    validators: [valueValidator('topic.regex', isRequired), valueValidator('topic.regex', isJavaPattern)],
  },
  {
    name: 'topic.replacement',
    type: 'STRING',
    defaultValue: null,
    documentation: 'The new topic name. `$1` is the first group of `topic.regex`.',
    importance: 'LOW',
    width: 'LONG',
    displayName: 'Topic replacement',
    validators: [valueValidator('topic.replacement', isRequired)],
  },
]

function keyKeys(keyField: string): readonly ConfigKey[] {
  return [
    {
      name: 'key.enforce.uniqueness',
      type: 'BOOLEAN',
      defaultValue: 'true',
      documentation: 'Whether keys have a field that names the table: rows of two tables may have one primary key.',
      importance: 'LOW',
      width: 'SHORT',
      displayName: 'Add source topic name into key',
    },
    {
      name: 'key.field.regex',
      type: 'STRING',
      defaultValue: null,
      documentation:
        'Regular expression for the value of the field, matched with the old topic name. Default: the topic name is the value.',
      importance: 'LOW',
      width: 'LONG',
      displayName: 'Key field regex',
      validators: [valueValidator('key.field.regex', isJavaPattern)],
    },
    {
      name: 'key.field.name',
      type: 'STRING',
      defaultValue: keyField,
      documentation: 'Name of the field. Keys must not have a field of that name already.',
      importance: 'LOW',
      width: 'LONG',
      displayName: 'Key field name',
    },
    {
      name: 'key.field.replacement',
      type: 'STRING',
      defaultValue: null,
      documentation: 'Value of the field. `$1` is the first group of `key.field.regex`.',
      importance: 'LOW',
      width: 'LONG',
      displayName: 'Key field replacement',
      validators: [valueValidator('key.field.replacement', needsReplacement)],
    },
  ]
}

const adjustmentKey: ConfigKey = {
  name: 'schema.name.adjustment.mode',
  type: 'STRING',
  defaultValue: 'none',
  documentation:
    'How the names of schemas become valid for Avro: `none`, `avro` (other characters become underscores) or `avro_unicode` (they become `_u` and their number).',
  importance: 'LOW',
  width: 'MEDIUM',
  displayName: 'Schema Name Adjustment',
  validators: [valueValidator('schema.name.adjustment.mode', enumValidator(nameAdjustments))],
}

function options(keyField: string, cacheSize: Pick<ConfigKey, 'name' | 'displayName' | 'aliases'>): ConfigDef {
  const cacheKey: ConfigKey = {
    type: 'INT',
    defaultValue: '16',
    documentation: 'No effect: what is computed per table is kept for as long as the table.',
    importance: 'LOW',
    width: 'LONG',
    ...cacheSize,
  }
  return new ConfigDef([...topicKeys, ...keyKeys(keyField), adjustmentKey, cacheKey])
}

/** The options of Debezium 3.6. */
export const byLogicalTableRouterConfig: ConfigDef = options('__dbz__physicalTableIdentifier', {
  name: 'logical.table.cache.size',
  displayName: 'Logical table cache size',
  aliases: ['logical.destination.cache.size'],
})

/** The options of the class's successor: two names differ. */
export const toLogicalTopicRouterConfig: ConfigDef = options('__dbz__sourceIdentifier', {
  name: 'logical.destination.cache.size',
  displayName: 'Logical destination cache size',
  aliases: ['logical.table.cache.size'],
})
