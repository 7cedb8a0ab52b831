import { Struct } from '@tributary/connect-api'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { compileCall } from './compile-call.ts'
import { checkedAt, type Evaluate } from './evaluate.ts'
import type { CompileContext } from './dialect.ts'
import { EvaluationError, ExpressionSyntaxError } from './expression-error.ts'
import { charactersOf, describeKind } from './kind.ts'
import type { Scope } from './scope.ts'
import type { Node, Step } from './tree.ts'
import { readerOf, type ValueReader } from './value-reader.ts'
import { Matching, type Value } from './values.ts'
import { readVariable } from './variables.ts'

/**
 * Makes a function of a tree. Recursion is bounded by the depth of the tree, here and when the function runs.
 *
 * @throws ExpressionSyntaxError for methods and patterns that are not supported
 */
export function compileNode(node: Node, dialect: CompileContext): Evaluate {
  switch (node.tag) {
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'variable':
      return readVariable(node.name, dialect.language)
    case 'list':
      return compileList(node.items, dialect)
    case 'text': {
      const parts = node.parts.map((part) => compileNode(part, dialect))
      return at(node, (scope) => dialect.join(evaluateAll(parts, scope), scope))
    }
    case 'pattern':
      throw new ExpressionSyntaxError(node.at, 'a pattern is not a value', 'Write /pattern/.test(text)')
    case 'unary': {
      const operand = compileNode(node.operand, dialect)
      const { operator } = node
      if (operator === '!') return (scope) => !dialect.isTrue(operand(scope))
      return at(node, (scope) => dialect.unary(operator, operand(scope)))
    }
    case 'binary':
      return compileBinary(node, dialect)
    case 'logical':
      return compileLogical(node, dialect)
    case 'conditional': {
      const [test, yes, no] = [node.test, node.yes, node.no].map((each) => compileNode(each, dialect))
      if (test === undefined || yes === undefined || no === undefined) throw new RangeError('three parts')
      return (scope) => (dialect.isTrue(test(scope)) ? yes(scope) : no(scope))
    }
    case 'chain':
      return compileChain(node, dialect)
  }
}

/** Sets the place for errors of an operation whose operands have other places. */
function at({ at: place }: Node, evaluate: Evaluate): Evaluate {
  return (scope) => {
    scope.at = place
    return evaluate(scope)
  }
}

function evaluateAll(parts: readonly Evaluate[], scope: Scope): readonly Value[] {
  return parts.map((part) => part(scope))
}

/** A list of literals is made once. */
function compileList(items: readonly Node[], dialect: CompileContext): Evaluate {
  const compiled = items.map((item) => compileNode(item, dialect))
  if (!items.every(({ tag }) => tag === 'literal')) return (scope) => evaluateAll(compiled, scope)
  const constant = items.map((item) => (item.tag === 'literal' ? item.value : null))
  return () => constant
}

function compileBinary(node: Node & { tag: 'binary' }, dialect: CompileContext): Evaluate {
  const { operator } = node
  if (operator === '==~' || operator === '=~') return compileMatch(node, dialect)
  const left = compileNode(node.left, dialect)
  const right = compileNode(node.right, dialect)
  const operation = dialect.binary(operator)
  return (scope) => {
    const a = left(scope)
    const b = right(scope)
    scope.at = node.at
    return operation(a, b, scope)
  }
}

/** Groovy's `==~` matches the whole text, `=~` finds the pattern in it. */
function compileMatch(
  { left, right, operator, at: place }: Node & { tag: 'binary' },
  dialect: CompileContext,
): Evaluate {
  const text = compileNode(left, dialect)
  if (right.tag !== 'literal' || typeof right.value !== 'string') {
    throw new ExpressionSyntaxError(right.at, 'a pattern is not a literal', 'Write the pattern itself in single quotes')
  }
  const source = right.value
  const pattern = checkedAt(right.at, () => dialect.patterns.compile(source))
  return (scope) => {
    const value = text(scope)
    scope.at = place
    if (operator === '==~') return value !== null && pattern.matches(dialect.textOf(value), scope)
    return new Matching(pattern.isFoundIn(dialect.textOf(value), scope))
  }
}

function compileLogical({ operator, operands }: Node & { tag: 'logical' }, dialect: CompileContext): Evaluate {
  const parts = operands.map((operand) => compileNode(operand, dialect))
  const decides = decisionOf(operator, dialect)
  // Groovy's && and || are booleans; JavaScript's have the value of an operand, as ?: and ?? have in both.
  const isBoolean = dialect.language === 'groovy' && operator !== '?:'
  return (scope) => {
    let value: Value = null
    for (const part of parts) {
      value = part(scope)
      if (decides(value)) break
    }
    return isBoolean ? dialect.isTrue(value) : value
  }
}

/** Whether a value of an operand is the result, without the following ones. */
function decisionOf(operator: '&&' | '||' | '??' | '?:', dialect: CompileContext): (value: Value) => boolean {
  switch (operator) {
    case '&&':
      return (value) => !dialect.isTrue(value)
    case '||':
    case '?:':
      return (value) => dialect.isTrue(value)
    case '??':
      return (value) => value !== null && value !== undefined
  }
}

type CompiledStep = (receiver: Value, scope: Scope) => Value

function compileChain({ base, steps }: Node & { tag: 'chain' }, dialect: CompileContext): Evaluate {
  if (base.tag === 'pattern') return compileCall.onPattern(base, steps, dialect, compileNode)
  const first = compileNode(base, dialect)
  const compiled = steps.map((step) => ({ step, run: compileStep(step, dialect) }))
  const skipsAll = dialect.language === 'javascript'
  return (scope) => {
    let value = first(scope)
    for (const { step, run } of compiled) {
      if (step.isSafe && (value === null || value === undefined)) {
        // JavaScript skips the rest of the chain; Groovy continues with null.
        if (skipsAll) return undefined
        continue
      }
      scope.at = step.at
      value = run(value, scope)
    }
    return value
  }
}

function compileStep(step: Step, dialect: CompileContext): CompiledStep {
  switch (step.tag) {
    case 'property':
      refuseMembersOfJava(step, dialect)
      return compileProperty(step.name, dialect)
    case 'index':
      return compileIndex(step.index, dialect)
    case 'call':
      return compileCall.onValue(step, dialect, compileNode)
  }
}

/** In Groovy these names read members of Java's object instead of a column. */
function refuseMembersOfJava({ name, at: place }: Step & { tag: 'property' }, dialect: CompileContext): void {
  if (dialect.language !== 'groovy' || !['schema', 'values', 'class', 'metaClass', 'properties'].includes(name)) return
  const reason = `.${name} reads a member of the object in Java, not a column`
  throw new ExpressionSyntaxError(place, reason, `Write .get('${name}')`)
}

interface LocatedField {
  readonly index: number
  readonly defaultValue: Parameters<ValueReader>[0]
  readonly read: ValueReader
}

/** Finds the field once per schema. */
function compileProperty(name: string, dialect: CompileContext): CompiledStep {
  const fields = new SchemaMemo<{ readonly found: LocatedField | null }>((schema) => {
    const field = schema.field(name)
    if (field === null) return { found: null }
    const { index, schema: own } = field
    return { found: { index, defaultValue: own.defaultValue, read: readerOf(own, dialect.language) } }
  })
  return (receiver, scope) => {
    if (receiver instanceof Struct) {
      const { found } = fields.of(receiver.schema)
      if (found === null) return dialect.missingField(name)
      return found.read(receiver.at(found.index) ?? found.defaultValue, scope)
    }
    if (receiver !== null && receiver !== undefined) return dialect.property(receiver, name)
    throw new EvaluationError(`Cannot get property '${name}' on null object`, `Write ?.${name}, or test for null first`)
  }
}

function compileIndex(index: Node, dialect: CompileContext): CompiledStep {
  const evaluate = compileNode(index, dialect)
  const constant =
    index.tag === 'literal' && typeof index.value === 'string' ? compileProperty(index.value, dialect) : null
  return (receiver, scope) => {
    if (constant !== null && receiver instanceof Struct) return constant(receiver, scope)
    if (receiver === null || receiver === undefined) {
      throw new EvaluationError('null has no elements', 'Test for null first')
    }
    const value = evaluate(scope)
    if (!(receiver instanceof Struct)) return dialect.element(receiver, value)
    const name = charactersOf(value)
    if (name === null) throw new EvaluationError(`${describeKind(value)} is not the name of a field`)
    const field = receiver.schema.field(name)
    if (field === null) return dialect.missingField(name)
    return readerOf(field.schema, dialect.language)(receiver.at(field.index) ?? field.schema.defaultValue, scope)
  }
}
