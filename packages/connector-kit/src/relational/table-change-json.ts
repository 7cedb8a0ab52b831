import type { Column } from './column.ts'
import type { JsonValue } from './pretty-json.ts'
import type { TableChange, TableChangeType } from './table-change.ts'
import { TableId } from './table-id.ts'
import type { Table, TableAttribute } from './table.ts'

/**
 * Formats table changes as the member `tableChanges` of a history record: members in the order of Debezium 3.6, without
 * those that it leaves out when they have no value. Print the record with `prettyJson`.
 */
export function tableChangesToJson(changes: readonly TableChange[]): JsonValue[] {
  return changes.map(({ type, id, previousId, table }) => ({
    type,
    id: id.toQuotedString(),
    previousId: previousId?.toQuotedString(),
    table: table === null ? undefined : tableToJson(table),
    comment: table === null ? undefined : table.comment,
  }))
}

function tableToJson(table: Table): JsonValue {
  return {
    defaultCharsetName: table.defaultCharsetName,
    primaryKeyColumnNames: table.primaryKeyColumnNames,
    columns: table.columns.map(columnToJson),
    attributes: table.attributes.map(({ name, value }) => ({ name, value })),
  }
}

function columnToJson(column: Column): JsonValue {
  return {
    name: column.name,
    jdbcType: column.jdbcType,
    nativeType: column.nativeType ?? undefined,
    typeName: column.typeName,
    typeExpression: column.typeExpression,
    charsetName: column.charsetName,
    length: column.length ?? undefined,
    scale: column.scale ?? undefined,
    position: column.position,
    optional: column.optional,
    autoIncremented: column.autoIncremented,
    generated: column.generated,
    comment: column.comment,
    hasDefaultValue: column.hasDefaultValue,
    defaultValueExpression: column.defaultValueExpression ?? undefined,
    enumValues: column.enumValues,
  }
}

type Members = Readonly<Record<string, unknown>>

/**
 * Reads the member `tableChanges` of a history record. Members that older releases did not write (comments, attributes,
 * defaults, members of enumerations) are null or empty.
 *
 * @param json parsed JSON, of any form
 * @returns null when it is not a list of table changes; an empty list when it is missing
 */
export function tableChangesFromJson(json: unknown): TableChange[] | null {
  if (json === undefined || json === null) return []
  if (!Array.isArray(json)) return null
  const changes: TableChange[] = []
  for (const element of json as readonly unknown[]) {
    const change = tableChangeFromJson(element)
    if (change === null) return null
    changes.push(change)
  }
  return changes
}

function tableChangeFromJson(json: unknown): TableChange | null {
  const members = membersOf(json)
  const type = changeType(members['type'])
  const name = textOf(members['id'])
  if (type === null || name === null) return null
  const id = TableId.parse(name)
  const previousName = textOf(members['previousId'])
  const previousId = previousName === null ? null : TableId.parse(previousName)
  if (type === 'DROP') return { type, id, previousId, table: null }
  const table = tableFromJson(members['table'], id, textOf(members['comment']))
  return table === null ? null : { type, id, previousId, table }
}

function changeType(value: unknown): TableChangeType | null {
  return value === 'CREATE' || value === 'ALTER' || value === 'DROP' ? value : null
}

function tableFromJson(json: unknown, id: TableId, comment: string | null): Table | null {
  const members = membersOf(json)
  const columns: Column[] = []
  for (const [index, element] of listOf(members['columns']).entries()) {
    const column = columnFromJson(membersOf(element), index)
    if (column === null) return null
    columns.push(column)
  }
  if (columns.length === 0) return null
  return {
    id,
    columns: columns.toSorted((a, b) => a.position - b.position),
    primaryKeyColumnNames: textsOf(members['primaryKeyColumnNames']),
    defaultCharsetName: textOf(members['defaultCharsetName']),
    // Some releases wrote the comment into the table.
    comment: comment ?? textOf(members['comment']),
    attributes: listOf(members['attributes']).map(attributeFromJson),
  }
}

/** Null when a member is missing that every release writes: name, type, number of the type. */
function columnFromJson(members: Members, index: number): Column | null {
  const name = textOf(members['name'])
  const typeName = textOf(members['typeName'])
  const jdbcType = numberOf(members['jdbcType'])
  if (name === null || typeName === null || jdbcType === null) return null
  const defaultValueExpression = textOf(members['defaultValueExpression'])
  const hasDefaultValue = members['hasDefaultValue']
  return {
    name,
    jdbcType,
    nativeType: numberOf(members['nativeType']),
    typeName,
    typeExpression: textOf(members['typeExpression']) ?? typeName,
    charsetName: textOf(members['charsetName']),
    length: numberOf(members['length']),
    scale: numberOf(members['scale']),
    position: numberOf(members['position']) ?? index + 1,
    optional: members['optional'] === true,
    autoIncremented: members['autoIncremented'] === true,
    generated: members['generated'] === true,
    comment: textOf(members['comment']),
    hasDefaultValue: typeof hasDefaultValue === 'boolean' ? hasDefaultValue : defaultValueExpression !== null,
    defaultValueExpression,
    enumValues: textsOf(members['enumValues']),
  }
}

function attributeFromJson(json: unknown): TableAttribute {
  const members = membersOf(json)
  return { name: textOf(members['name']) ?? '', value: textOf(members['value']) ?? '' }
}

function membersOf(json: unknown): Members {
  return typeof json === 'object' && json !== null ? (json as Members) : {}
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : []
}

function textsOf(json: unknown): string[] {
  return listOf(json).filter((element) => typeof element === 'string')
}

function textOf(json: unknown): string | null {
  return typeof json === 'string' ? json : null
}

function numberOf(json: unknown): number | null {
  return typeof json === 'number' ? json : null
}
