import type { CompileContext } from './dialect.ts'
import { checkedAt, type Evaluate } from './evaluate.ts'
import { EvaluationError, ExpressionSyntaxError } from './expression-error.ts'
import { javaScriptPattern } from './javascript-pattern.ts'
import { describeKind, kindOf, type Kind } from './kind.ts'
import type { Implementation, Method } from './method.ts'
import type { Scope } from './scope.ts'
import type { Node, Step } from './tree.ts'
import { Matching, type Value } from './values.ts'

type CompileNode = (node: Node, dialect: CompileContext) => Evaluate
type Call = Step & { readonly tag: 'call' }
type Run = (receiver: Value, scope: Scope) => Value

function onValue(step: Call, dialect: CompileContext, compileNode: CompileNode): Run {
  const { name, at } = step
  const pattern = step.args[0]
  if (name === 'match' && pattern?.tag === 'pattern' && step.args.length === 1)
    return compileMatchCall(pattern, dialect)
  const method = dialect.methods.get(name)
  if (method === undefined) throw unknownMethod(step, dialect)
  const implementations = new Map<Kind, Run>()
  const args = step.args.map((arg) => compileNode(arg, dialect))
  for (const [kind, implementation] of fittingOf(method, step)) {
    implementations.set(kind, bind(implementation, step, args, dialect))
  }
  return (receiver, scope) => {
    const kind = kindOf(receiver)
    if (kind === 'null') {
      const values = args.map((arg) => arg(scope))
      scope.at = at
      return dialect.callOnNothing(name, values)
    }
    const run = implementations.get(kind)
    if (run !== undefined) return run(receiver, scope)
    throw new EvaluationError(`${describeKind(receiver)} has no method ${name} with ${args.length} arguments`)
  }
}

function unknownMethod({ name, at }: Call, dialect: CompileContext): ExpressionSyntaxError {
  const known = [...dialect.methods.keys()].filter((each) => !/^get[A-Z]/.test(each)).toSorted()
  const remedy = dialect.remedies.get(name) ?? `The methods are ${known.join(', ')}`
  return new ExpressionSyntaxError(at, `the method ${name} is not supported`, remedy)
}

/** The implementations that have as many arguments, and literal ones where they must be. */
function fittingOf(method: Method, { name, args, at }: Call): readonly (readonly [Kind, Implementation])[] {
  // Keys of the table are kinds.
  const all = Object.entries(method) as [Kind, Implementation][]
  const counted = all.filter(([, { argsMin, argsMax }]) => args.length >= argsMin && args.length <= argsMax)
  if (counted.length === 0) {
    const counts = all.map(([, { argsMin, argsMax }]) => (argsMin === argsMax ? argsMin : `${argsMin} or ${argsMax}`))
    throw new ExpressionSyntaxError(
      at,
      `${name} has ${args.length} arguments instead of ${[...new Set(counts)].join(' or ')}`,
    )
  }
  const dynamic = args.find((arg) => arg.tag !== 'literal' || typeof arg.value !== 'string')
  if (dynamic !== undefined && counted.every(([, { tag }]) => tag === 'literal')) {
    const remedy = dynamic.tag === 'pattern' ? 'Write a text in quotes' : 'Write the text itself in quotes'
    throw new ExpressionSyntaxError(dynamic.at, `an argument of ${name} is not a literal text`, remedy)
  }
  return counted.filter(([, { tag }]) => tag === 'plain' || dynamic === undefined)
}

function bind(implementation: Implementation, step: Call, args: readonly Evaluate[], dialect: CompileContext): Run {
  if (implementation.tag === 'literal') {
    const texts = step.args.map((arg) => (arg.tag === 'literal' && typeof arg.value === 'string' ? arg.value : ''))
    return checkedAt(step.at, () => implementation.bind(texts, dialect.patterns))
  }
  return (receiver, scope) => {
    const values = args.map((arg) => arg(scope))
    scope.at = step.at
    return implementation.call(receiver, values, scope)
  }
}

/** JavaScript's `text.match(/pattern/)`, whose result is an array or null. */
function compileMatchCall(node: Node & { tag: 'pattern' }, dialect: CompileContext): Run {
  const pattern = checkedAt(node.at, () => javaScriptPattern(node, dialect.patterns))
  return (receiver, scope) => {
    if (typeof receiver !== 'string') throw new EvaluationError(`${describeKind(receiver)} has no method match`)
    return pattern.isFoundIn(receiver, scope) ? FOUND : null
  }
}

const FOUND: Value = new Matching(true)

/** JavaScript's `/pattern/.test(text)`. */
function onPattern(
  { at, source, ignoresCase }: Node & { tag: 'pattern' },
  steps: readonly Step[],
  dialect: CompileContext,
  compileNode: CompileNode,
): Evaluate {
  const [call, next] = steps
  const argument = call?.tag === 'call' && call.name === 'test' && next === undefined ? call.args[0] : undefined
  if (argument === undefined) {
    throw new ExpressionSyntaxError(call?.at ?? at, 'a pattern has only the method test', 'Write /pattern/.test(text)')
  }
  const pattern = checkedAt(at, () => javaScriptPattern({ source, ignoresCase }, dialect.patterns))
  const text = compileNode(argument, dialect)
  return (scope) => {
    const value = dialect.textOf(text(scope))
    scope.at = at
    return pattern.isFoundIn(value, scope)
  }
}

/** Compiles calls of methods. */
export const compileCall: {
  readonly onValue: typeof onValue
  readonly onPattern: typeof onPattern
} = { onValue, onPattern }
