import type { ColumnType } from '../types/column-type.ts'

/** A table as a statement names it; null stands for the current database. */
export interface TableName {
  readonly database: string | null
  readonly table: string
}

interface StatementText {
  /** Without preceding comments, without `SET STATEMENT … FOR`, without the final semicolon. */
  readonly text: string
}

export interface CreateTable extends StatementText {
  readonly tag: 'createTable'
  readonly table: TableName
  readonly isTemporary: boolean
  /** MariaDB: OR REPLACE. */
  readonly isReplacing: boolean
  readonly isIfNotExists: boolean
  /** The table whose definition the server copies; then columns and keys are empty. */
  readonly like: TableName | null
  readonly columns: readonly ColumnDefinition[]
  /** Keys of the table and keys in attributes of columns, in the order of the text. */
  readonly keys: readonly KeyDefinition[]
  /** MariaDB: PERIOD FOR name (start, end). */
  readonly periods: readonly Period[]
  readonly options: TableOptions
  /** A query adds columns that the statement does not list. */
  readonly isFromQuery: boolean
}

export interface AlterTable extends StatementText {
  readonly tag: 'alterTable'
  readonly table: TableName
  readonly isIfExists: boolean
  readonly actions: readonly AlterAction[]
}

export interface CreateIndex extends StatementText {
  readonly tag: 'createIndex'
  readonly table: TableName
  readonly key: KeyDefinition
  /** MariaDB: OR REPLACE. */
  readonly isReplacing: boolean
}

export interface DropIndex extends StatementText {
  readonly tag: 'dropIndex'
  readonly table: TableName
  readonly name: string
  readonly isIfExists: boolean
}

export interface DropTable extends StatementText {
  readonly tag: 'dropTable'
  readonly tables: readonly TableName[]
  readonly isTemporary: boolean
  readonly isIfExists: boolean
}

export interface RenameTable extends StatementText {
  readonly tag: 'renameTable'
  /** `RENAME TABLE ` as written, up to the first pair. */
  readonly prefix: string
  readonly isIfExists: boolean
  /** The server renames in this order: a name may become free only after an earlier pair. */
  readonly renames: readonly { readonly from: TableName; readonly to: TableName; readonly text: string }[]
}

export interface TruncateTable extends StatementText {
  readonly tag: 'truncateTable'
  readonly table: TableName
}

export interface CreateDatabase extends StatementText {
  readonly tag: 'createDatabase'
  readonly database: string
  readonly isReplacing: boolean
  readonly isIfNotExists: boolean
  readonly options: CharsetOptions
}

export interface AlterDatabase extends StatementText {
  readonly tag: 'alterDatabase'
  /** Null for the current database. */
  readonly database: string | null
  readonly options: CharsetOptions
}

export interface DropDatabase extends StatementText {
  readonly tag: 'dropDatabase'
  readonly database: string
  readonly isIfExists: boolean
}

export interface Use extends StatementText {
  readonly tag: 'use'
  readonly database: string
}

export interface SetVariables extends StatementText {
  readonly tag: 'setVariables'
  /** Names in lower case without scope; `names` for SET NAMES and SET CHARACTER SET. */
  readonly variables: readonly { readonly name: string; readonly value: string }[]
}

export interface Dml extends StatementText {
  readonly tag: 'dml'
  /** INSERT, UPDATE, DELETE, REPLACE, LOAD, SELECT, WITH, CALL … */
  readonly verb: string
  /** Null when it does not follow the verb directly. */
  readonly table: TableName | null
}

/** What a statement of the binlog does to its transaction. */
export type TransactionControl =
  | { readonly tag: 'begin'; readonly isXa: boolean }
  /** The statement is the last event of its transaction. */
  | { readonly tag: 'end'; readonly by: 'COMMIT' | 'ROLLBACK' | 'XA PREPARE' | 'XA COMMIT' | 'XA ROLLBACK' }
  /** The transaction continues after the statement. */
  | { readonly tag: 'inside'; readonly act: 'SAVEPOINT' | 'RELEASE SAVEPOINT' | 'ROLLBACK TO SAVEPOINT' | 'XA END' }

export interface TransactionStatement extends StatementText {
  readonly tag: 'transaction'
  readonly control: TransactionControl
}

/** A statement that changes no table and no database. The parser reads only its first words. */
export interface Ignored extends StatementText {
  readonly tag: 'ignored'
  /** CREATE VIEW, DROP TRIGGER, GRANT, ANALYZE … */
  readonly what: string
}

export type Statement =
  | CreateTable
  | AlterTable
  | CreateIndex
  | DropIndex
  | DropTable
  | RenameTable
  | TruncateTable
  | CreateDatabase
  | AlterDatabase
  | DropDatabase
  | Use
  | SetVariables
  | Dml
  | TransactionStatement
  | Ignored

export interface CharsetOptions {
  /** `default`, in any case, stands for the charset of the next higher level. */
  readonly charset: string | null
  readonly collation: string | null
}

export interface TableOptions extends CharsetOptions {
  readonly comment: string | null
  /** MariaDB: WITH SYSTEM VERSIONING. */
  readonly isSystemVersioned: boolean
  /** MariaDB: SEQUENCE=1, the definition of a sequence. */
  readonly isSequence: boolean
}

export interface ColumnDefinition {
  readonly name: string
  readonly type: ColumnType
  /** Members of ENUM and SET that the statement contains as bytes; `type.members` has '' for each. */
  readonly byteMembers: readonly ByteMember[]
  /** As spelled, in upper case with modifiers: `INT UNSIGNED`, `NATIONAL VARCHAR`. BOOL and SERIAL are resolved. */
  readonly typeSpelling: string
  /** Null without NULL and NOT NULL. */
  readonly isNullable: boolean | null
  /** Null without DEFAULT. */
  readonly defaultValue: DefaultValue | null
  /** ON UPDATE CURRENT_TIMESTAMP. */
  readonly isUpdatedAutomatically: boolean
  readonly isAutoIncrement: boolean
  /** Computed from other columns. */
  readonly isGenerated: boolean
  /** MariaDB: GENERATED ALWAYS AS ROW START or END. Null: neither. */
  readonly rowPeriodEdge: 'start' | 'end' | null
  /** MariaDB: WITH SYSTEM VERSIONING, which makes the table system-versioned. */
  readonly isSystemVersioned: boolean
  /** MariaDB: COMPRESSED. */
  readonly isCompressed: boolean
  readonly comment: string | null
}

/** A member of ENUM or SET in the charset of its column. */
export interface ByteMember {
  readonly index: number
  readonly hex: string
}

export type DefaultValue =
  | { readonly tag: 'null' }
  | { readonly tag: 'string'; readonly value: string }
  /** As written, with its sign and without blanks. */
  | { readonly tag: 'number'; readonly text: string }
  | { readonly tag: 'boolean'; readonly value: boolean }
  /** `charset`: the charset of an introducer such as `_latin1`, or null. */
  | { readonly tag: 'hex'; readonly digits: string; readonly charset: string | null }
  | { readonly tag: 'bits'; readonly digits: string }
  /** CURRENT_TIMESTAMP, NOW(), LOCALTIME … */
  | { readonly tag: 'now' }
  /** The server evaluates it for each row. */
  | { readonly tag: 'expression' }

export type ColumnPosition = { readonly tag: 'first' } | { readonly tag: 'after'; readonly column: string }

export type KeyKind = 'primary' | 'unique' | 'index' | 'fulltext' | 'spatial' | 'foreign'

export interface KeyDefinition {
  readonly kind: KeyKind
  /** Null when the server generates a name. */
  readonly name: string | null
  readonly parts: readonly KeyPart[]
  readonly isIfNotExists: boolean
}

export type KeyPart =
  /** `prefixLength`: the characters or bytes of the column that the key contains; null: all. */
  | { readonly tag: 'column'; readonly column: string; readonly prefixLength: number | null }
  | { readonly tag: 'expression' }
  /** MariaDB: period WITHOUT OVERLAPS. */
  | { readonly tag: 'period'; readonly period: string }

export interface Period {
  readonly name: string
  readonly start: string
  readonly end: string
}

export type AlterAction =
  | {
      readonly tag: 'addColumn'
      readonly column: ColumnDefinition
      readonly position: ColumnPosition | null
      readonly isIfNotExists: boolean
    }
  | { readonly tag: 'dropColumn'; readonly name: string; readonly isIfExists: boolean }
  | {
      /** CHANGE, or MODIFY, which keeps the name. */
      readonly tag: 'changeColumn'
      readonly name: string
      readonly column: ColumnDefinition
      readonly position: ColumnPosition | null
      readonly isIfExists: boolean
    }
  | { readonly tag: 'renameColumn'; readonly name: string; readonly to: string; readonly isIfExists: boolean }
  /** `value` null: DROP DEFAULT. */
  | {
      readonly tag: 'alterColumnDefault'
      readonly name: string
      readonly value: DefaultValue | null
      readonly isIfExists: boolean
    }
  /** `isConditional`: it is an attribute of a column with IF EXISTS or IF NOT EXISTS. */
  | { readonly tag: 'addKey'; readonly key: KeyDefinition; readonly isConditional: boolean }
  | { readonly tag: 'dropPrimaryKey' }
  /** `isConstraint`: DROP CONSTRAINT, which may also name a CHECK or a foreign key. */
  | { readonly tag: 'dropKey'; readonly name: string; readonly isConstraint: boolean; readonly isIfExists: boolean }
  | { readonly tag: 'renameKey'; readonly name: string; readonly to: string; readonly isIfExists: boolean }
  | { readonly tag: 'renameTable'; readonly to: TableName }
  | { readonly tag: 'convertToCharset'; readonly charset: string; readonly collation: string | null }
  | { readonly tag: 'tableOptions'; readonly options: TableOptions }
  | { readonly tag: 'addPeriod'; readonly period: Period }
  | { readonly tag: 'dropPeriod'; readonly name: string }
  | { readonly tag: 'setSystemVersioning'; readonly isOn: boolean }
  /** MariaDB: a partition becomes a table of its own, with the same columns and keys. */
  | { readonly tag: 'partitionToTable'; readonly to: TableName }
  /** MariaDB: a table becomes a partition and does not exist any more. */
  | { readonly tag: 'tableToPartition'; readonly from: TableName }
  /** Changes neither columns nor keys: partitions, engine, CHECK … */
  | { readonly tag: 'other' }
