/** The source of random choices; the seeded random generator of the testkit implements it. */
export interface Choice {
  integer(from: number, to: number): number
  pick<T>(items: readonly T[]): T
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const KEY_TYPES = ['INT', 'BIGINT UNSIGNED', 'VARCHAR(10)', 'DECIMAL(6,2)', 'DATETIME(3)', 'TINYINT(1)']
const TYPES = [
  ...KEY_TYPES,
  'CHAR(4) CHARACTER SET latin1',
  'TEXT',
  "ENUM('x','y')",
  'VARBINARY(8)',
  'TIMESTAMP NULL',
  'NCHAR(3)',
]
const ATTRIBUTES = ['', '', '', ' NOT NULL', ' NULL', ' NOT NULL UNIQUE', ' UNIQUE', " NOT NULL COMMENT 'c'"]

/**
 * Statements that create and alter tables with so few column and key names that they interact: swaps, moves, keys that
 * lose columns. A server refuses many of them.
 */
export function randomDdl(choice: Choice, count: number): string[] {
  const statements: string[] = []
  for (let i = 0; i < count; i++) {
    const table = `t${Math.floor(i / 20)}`
    if (i % 20 === 0) statements.push(createTable(choice, table))
    const actions = Array.from({ length: choice.pick([1, 1, 2, 3]) }, () => action(choice))
    statements.push(`ALTER TABLE ${table} ${actions.join(', ')}`)
  }
  return statements
}

function createTable(choice: Choice, table: string): string {
  const names = NAMES.slice(0, choice.integer(2, NAMES.length))
  const parts = names.map((name) => definition(choice, name))
  if (choice.pick([true, false])) parts.push(`PRIMARY KEY (${choice.pick(names)})`)
  if (choice.pick([true, false])) parts.push(`UNIQUE (${choice.pick(names)})`)
  return `CREATE TABLE ${table} (${parts.join(', ')})`
}

function definition(choice: Choice, name: string): string {
  return `${name} ${choice.pick(choice.pick([KEY_TYPES, TYPES]))}${choice.pick(ATTRIBUTES)}`
}

function position(choice: Choice): string {
  return choice.pick(['', '', '', ' FIRST', ` AFTER ${choice.pick(NAMES)}`])
}

function keyColumns(choice: Choice): string {
  return choice.pick([choice.pick(NAMES), `${choice.pick(NAMES)}, ${choice.pick(NAMES)}`])
}

function action(choice: Choice): string {
  const name = choice.pick(NAMES)
  const other = choice.pick(NAMES)
  return choice.pick([
    `ADD COLUMN ${definition(choice, name)}${position(choice)}`,
    `ADD COLUMN ${definition(choice, name)}${position(choice)}`,
    `DROP COLUMN ${name}`,
    `MODIFY ${definition(choice, name)}${position(choice)}`,
    `MODIFY ${definition(choice, name)}${position(choice)}`,
    `CHANGE ${name} ${definition(choice, other)}${position(choice)}`,
    `RENAME COLUMN ${name} TO ${other}`,
    `RENAME COLUMN ${name} TO ${other}, RENAME COLUMN ${other} TO ${name}`,
    `ALTER ${name} ${choice.pick(['DROP DEFAULT', 'SET DEFAULT 5', 'SET DEFAULT NULL'])}`,
    `ADD PRIMARY KEY (${keyColumns(choice)})`,
    'DROP PRIMARY KEY',
    `ADD UNIQUE ${choice.pick(['', 'u1 ', 'u2 '])}(${keyColumns(choice)})`,
    `ADD INDEX ${choice.pick(['', 'i1 ', 'u1 '])}(${keyColumns(choice)})`,
    `DROP INDEX ${choice.pick([...NAMES, 'u1', 'u2', 'i1', 'a_2'])}`,
    `RENAME INDEX ${choice.pick([...NAMES, 'u1', 'i1'])} TO ${choice.pick(['u1', 'u2', 'i1', 'z'])}`,
    choice.pick(['DEFAULT CHARACTER SET latin1', 'CONVERT TO CHARACTER SET utf8mb4', "COMMENT='x'", 'ENGINE=InnoDB']),
  ])
}
