import { columnList, type HistoryModel, type ModelTable } from './history-model.ts'
import type { Planned } from './random-definitions.ts'
import { SESSIONS } from './sessions.ts'
import type { Step } from './steps.ts'
import { kindOf, quoted } from './table-names.ts'

/** Statements that belong together, as tools and applications write them. */
export function randomScenario(model: HistoryModel): readonly Planned[] {
  const kind = model.random()
  if (kind < 0.3) return ghost(model, false)
  if (kind < 0.5) return ghost(model, true)
  if (kind < 0.7) return temporary(model)
  if (kind < 0.85) return cascade(model)
  return exchange(model)
}

/** Steps that change no definition that the model knows. */
class Scenario {
  readonly planned: Planned[] = []
  readonly #model: HistoryModel
  readonly session: number

  constructor(model: HistoryModel) {
    this.#model = model
    this.session = model.random.integer(0, SESSIONS)
  }

  define(sql: string, tables: readonly ModelTable[] = this.#model.tables): void {
    this.add({ kind: 'ddl', session: this.session, sql, isLogged: true }, tables)
  }

  change(tables: readonly string[], sql: string): void {
    this.add({ kind: 'dml', session: this.session, tables, sql })
  }

  add(step: Step, tables: readonly ModelTable[] = this.planned.at(-1)?.tables ?? this.#model.tables): void {
    this.planned.push({ step, tables })
  }
}

/** A table is copied into one with another definition, which takes its name; changes follow by statements or triggers. */
function ghost(model: HistoryModel, hasTriggers: boolean): readonly Planned[] {
  const { random } = model
  const table = model.pickTable()
  const kind = kindOf(table.name)
  // Triggers and REPLACE write versions in other ways than the truth expects.
  if (kind === 'v') return temporary(model)
  const scenario = new Scenario(model)
  const [copy, old] = [model.newName(kind), model.newName(kind)]
  const [name, copyName] = [quoted(table.name), quoted(copy)]
  const [added] = model.unused(table.columns)
  const list = columnList(table.columns)
  const others = model.tables.filter((each) => each !== table)
  const both = [...model.tables, { name: copy, columns: table.columns }]
  scenario.define(`create /* gh-ost */ table ${copyName} like ${name}`, both)
  const columns = added === undefined ? table.columns : [{ name: added, type: 'INT' }, ...table.columns]
  const altered = [...model.tables, { name: copy, columns }]
  if (added !== undefined)
    scenario.define(`alter /* gh-ost */ table ${copyName} add column ${quoted(added)} INT first`, altered)
  const trigger = quoted(`${copy}_t`)
  const values = columnList(
    table.columns.map(({ name: column }) => ({ name: column, type: '' })),
    'NEW.id',
  )
    .split(', ')
    .map((text, i) => (i === 0 ? text : `NEW.${text}`))
  if (hasTriggers)
    scenario.define(
      `CREATE TRIGGER ${trigger} AFTER INSERT ON ${name} FOR EACH ROW REPLACE INTO ${copyName} (${list}) VALUES (${values.join(', ')})`,
      altered,
    )
  scenario.change([copy], `INSERT LOW_PRIORITY IGNORE INTO ${copyName} (${list}) SELECT ${list} FROM ${name}`)
  for (let i = 0; i < random.integer(1, 4); i++) {
    const row = model.row(scenario.session, table.columns)
    scenario.change(hasTriggers ? [table.name, copy] : [table.name], `INSERT INTO ${name} (${list}) VALUES ${row}`)
    if (!hasTriggers)
      scenario.change([copy], `REPLACE INTO ${copyName} (${list}) SELECT ${list} FROM ${name} ORDER BY id DESC LIMIT 1`)
  }
  if (hasTriggers) scenario.define(`DROP TRIGGER IF EXISTS ${trigger}`, altered)
  const swapped = [...others, { name: table.name, columns }]
  scenario.define(`RENAME TABLE ${name} TO ${quoted(old)}, ${copyName} TO ${name}`, [
    ...swapped,
    { name: old, columns: table.columns },
  ])
  scenario.define(`DROP TABLE IF EXISTS ${quoted(old)}`, swapped)
  return scenario.planned
}

/** A temporary table hides the table of its name from the session. */
function temporary(model: HistoryModel): readonly Planned[] {
  const scenario = new Scenario(model)
  const name = quoted(model.random() < 0.6 ? model.pickTable().name : model.newName('a'))
  const statements = [
    `CREATE TEMPORARY TABLE ${name} (t INT PRIMARY KEY, u VARCHAR(9))`,
    `INSERT INTO ${name} VALUES (1, 'x'), (2, 'y')`,
    `ALTER TABLE ${name} ADD COLUMN w INT FIRST`,
    `UPDATE ${name} SET u = 'z'`,
    ...(model.random() < 0.5 ? [`TRUNCATE TABLE ${name}`] : []),
    `DROP TEMPORARY TABLE IF EXISTS ${name}`,
  ]
  scenario.add({ kind: 'script', session: scenario.session, statements })
  return scenario.planned
}

/** MariaDB writes no changes of cascades into its binlog, MySQL 9.6 and later does. */
function cascade(model: HistoryModel): readonly Planned[] {
  const { options } = model
  const scenario = new Scenario(model)
  const [parent, child] = [model.newName('a'), model.newName('f')]
  const [parentName, childName] = [quoted(parent), quoted(child)]
  const both = options.flavor === 'mysql' ? [parent, child] : [parent]
  scenario.define(`CREATE TABLE ${parentName} (id INT PRIMARY KEY, a INT)`)
  scenario.define(
    `CREATE TABLE ${childName} (b INT, id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES ${parentName} (id) ON DELETE CASCADE ON UPDATE CASCADE)`,
  )
  scenario.change([parent], `INSERT INTO ${parentName} VALUES (1, 10), (2, 20)`)
  scenario.change([child], `INSERT INTO ${childName} (id, parent) VALUES (1, 1), (2, 1), (3, 2)`)
  scenario.change(both, `UPDATE ${parentName} SET id = 5 WHERE id = 1`)
  scenario.define(`ALTER TABLE ${childName} MODIFY b INT AFTER id`)
  scenario.change(both, `DELETE FROM ${parentName} WHERE id = 2`)
  scenario.define(`DROP TABLE ${childName}`)
  scenario.define(`DROP TABLE ${parentName}`)
  return scenario.planned
}

/** A partition changes places with a table. */
function exchange(model: HistoryModel): readonly Planned[] {
  const table = model.tables.find(({ name }) => kindOf(name) === 'p')
  if (table === undefined) return temporary(model)
  const scenario = new Scenario(model)
  const other = model.newName('a')
  const [name, otherName] = [quoted(table.name), quoted(other)]
  const list = columnList(table.columns)
  const both = [...model.tables, { name: other, columns: table.columns }]
  scenario.define(`CREATE TABLE ${otherName} LIKE ${name}`, both)
  scenario.define(`ALTER TABLE ${otherName} REMOVE PARTITIONING`, both)
  scenario.change([table.name], `INSERT INTO ${name} (${list}) VALUES ${model.row(scenario.session, table.columns)}`)
  scenario.define(
    `ALTER TABLE ${name} EXCHANGE PARTITION ${model.random.pick(['p0', 'p1', 'p2'])} WITH TABLE ${otherName}`,
    both,
  )
  scenario.change([other], `INSERT INTO ${otherName} (${list}) VALUES ${model.row(scenario.session, table.columns)}`)
  return scenario.planned
}
