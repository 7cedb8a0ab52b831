import { type ConnectValue, Schema, Struct, javaTypeName } from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { javaClassOf } from '../stage/java-class.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'

/** A value to add to a struct: the path of its field, such as `after.region`, and its schema. */
export interface Addition {
  readonly path: readonly string[]
  readonly schema: Schema
}

/** Adds values to structs of one schema, at any depth. */
export interface AdditionPlan {
  readonly schema: Schema
  /** `values`: one per addition. */
  make(struct: Struct, values: readonly ConnectValue[]): Struct
}

/** Makes the value of one added or changed field. */
type FieldMaker = (struct: Struct, values: readonly ConnectValue[]) => ConnectValue

/** An addition with its number. */
interface Placed extends Addition {
  readonly number: number
}

/**
 * Plans how values are added: a field that exists keeps its schema, a struct that does not exist is made, optional. The
 * schemas of changed structs are not optional, as in Debezium.
 *
 * @throws FIELD_NOT_A_STRUCT for a path through another field, VALUE_NOT_OF_TYPE for a value of another type than its
 * field
 */
export function planAdditions(schema: Schema, additions: readonly Addition[]): AdditionPlan {
  return planOf(
    schema,
    additions.map((addition, number) => ({ ...addition, number })),
  )
}

function planOf(schema: Schema, additions: readonly Placed[]): AdditionPlan {
  const edit = new StructEdit(basicsOf(schema))
  const makers: FieldMaker[] = []
  const byName = Map.groupBy(additions, ({ path }) => path[0] ?? '')
  for (const field of schema.fields) {
    const own = byName.get(field.name)
    if (own === undefined) {
      edit.keepWithDefault(field)
      continue
    }
    const changed = changedField(field.schema, own, (struct) => struct.at(field.index))
    edit.add(field.name, changed.schema)
    makers.push(changed.make)
  }
  const added = [...byName].filter(([name]) => schema.field(name) === null)
  // Debezium adds structs after the other fields.
  for (const [name, own] of added.toSorted(([, a], [, b]) => Number(isNested(a)) - Number(isNested(b)))) {
    const field = newField(own)
    edit.add(name, field.schema)
    makers.push(field.make)
  }
  return planWith(edit.build(), makers)
}

function planWith(plan: StructPlan, makers: readonly FieldMaker[]): AdditionPlan {
  const make = (struct: Struct, values: readonly ConnectValue[]): Struct =>
    plan.make(
      struct,
      makers.map((maker) => maker(struct, values)),
    )
  return { schema: plan.schema, make }
}

interface ChangedField {
  readonly schema: Schema
  readonly make: FieldMaker
}

/** A field that exists. */
function changedField(schema: Schema, own: readonly Placed[], read: (struct: Struct) => ConnectValue): ChangedField {
  const last = own.findLast(({ path }) => path.length === 1)
  if (last !== undefined) {
    if (last.schema.type !== schema.type) {
      const type = javaTypeName(schema.type)
      throw transformErrors.VALUE_NOT_OF_TYPE({ name: last.path[0] ?? '', type, found: javaClassOf(last.schema) })
    }
    return { schema, make: (_, values) => values[last.number] as ConnectValue }
  }
  if (schema.type !== 'struct') {
    const [name = '', ...rest] = own[0]?.path ?? []
    throw transformErrors.FIELD_NOT_A_STRUCT({ name, path: [name, ...rest].join('.') })
  }
  const nested = planOf(schema, below(own))
  const make: FieldMaker = (struct, values) => {
    const value = read(struct)
    return value instanceof Struct ? nested.make(value, values) : value
  }
  return { schema: nested.schema, make }
}

function newField(own: readonly Placed[]): ChangedField {
  if (!isNested(own)) {
    const { schema } = own[0] as Placed
    const { number } = own.at(-1) as Placed
    return { schema, make: (_, values) => values[number] as ConnectValue }
  }
  const nested = planOf(Schema.struct([]), below(own))
  const schema = nested.schema.with({ optional: true })
  const make: FieldMaker = (_, values) => {
    const made = nested.make(new Struct(Schema.struct([]), []), values)
    return new Struct(
      schema,
      schema.fields.map(({ index }) => made.at(index)),
    )
  }
  return { schema, make }
}

function isNested(own: readonly Placed[]): boolean {
  return own.every(({ path }) => path.length > 1)
}

function below(own: readonly Placed[]): readonly Placed[] {
  return own.filter(({ path }) => path.length > 1).map((addition) => ({ ...addition, path: addition.path.slice(1) }))
}
