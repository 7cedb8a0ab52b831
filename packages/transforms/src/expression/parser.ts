import { ExpressionSyntaxError } from './expression-error.ts'
import { remedyForName, STATEMENTS } from './foreign-names.ts'
import type { Language } from './language.ts'
import { tokensOf } from './lexer.ts'
import { DEPTH_MAX } from './limits.ts'
import { type Infix, infixOf, isLogical } from './precedence.ts'
import type { SourceRange, TextPart, Token } from './token.ts'
import { type Node, type NodeOf, type Step, type Variable, VARIABLES } from './tree.ts'

/**
 * Parses an expression.
 *
 * @throws ExpressionSyntaxError for anything that is not one, with its place
 */
export function parseExpression(source: string, language: Language): Node {
  return new Parser({ source, start: 0, end: source.length }, language, 0).parse()
}

/**
 * Reads by recursive descent. `#level` counts the recursion, and each node knows its depth: long chains of operators
 * make deep trees without recursion here.
 */
class Parser {
  readonly #source: string
  readonly #language: Language
  readonly #tokens: readonly Token[]
  #next = 0
  #level: number
  readonly #parenthesized = new WeakSet<Node>()

  constructor(range: SourceRange, language: Language, level: number) {
    this.#source = range.source
    this.#language = language
    this.#tokens = tokensOf(range, language)
    this.#level = level
  }

  parse(): Node {
    if (this.#language === 'groovy' && this.#isName('return')) this.#next += 1
    if (this.#token().tag === 'end') throw this.#refusal('the expression is empty')
    const node = this.#expression()
    if (this.#token().tag !== 'end') throw this.#unexpected('the end of the expression')
    return node
  }

  #expression(): Node {
    this.#level += 1
    if (this.#level > DEPTH_MAX) throw this.#tooDeep()
    const test = this.#infix(0)
    const { at } = this.#token()
    let node = test
    if (this.#takes('?:')) {
      node = this.#node(at, { tag: 'logical', operator: '?:', operands: [test, this.#expression()] })
    } else if (this.#takes('?')) {
      const yes = this.#expression()
      this.#expect(':')
      node = this.#node(at, { tag: 'conditional', test, yes, no: this.#expression() })
    }
    this.#level -= 1
    return node
  }

  /** An operand, and the operators after it that are at least as tight as `level`, with their operands. */
  #infix(level: number): Node {
    let left = this.#unary()
    for (;;) {
      const token = this.#token()
      const infix = this.#infixAt(token)
      if (infix === null || infix.level < level) return left
      this.#refuseLineBreak(token, infix.operator)
      this.#next += 1
      left = this.#combine(infix, token.at, left, this.#infix(infix.level + 1))
    }
  }

  #infixAt(token: Token): Infix | null {
    if (token.tag === 'operator') return infixOf(token.operator, this.#language)
    return token.tag === 'name' && token.name === 'in' ? infixOf('in', this.#language) : null
  }

  #combine({ operator }: Infix, at: number, left: Node, right: Node): Node {
    if (!isLogical(operator)) {
      this.#checkIn(operator, at, right)
      return this.#node(at, { tag: 'binary', operator, left, right })
    }
    const mixed = [left, right].some(
      (side) =>
        side.tag === 'logical' &&
        !this.#parenthesized.has(side) &&
        side.operator !== operator &&
        (side.operator === '??' || operator === '??'),
    )
    if (mixed) throw new ExpressionSyntaxError(at, '?? is mixed with && or ||', 'Put one of them in parentheses')
    const isSame = left.tag === 'logical' && left.operator === operator && !this.#parenthesized.has(left)
    // Long lists of alternatives stay flat, so that their tree is not deep.
    return isSame
      ? { ...left, operands: appended(left.operands, right), depth: Math.max(left.depth, right.depth + 1) }
      : this.#node(at, { tag: 'logical', operator, operands: [left, right] })
  }

  /** `in` has another meaning than readers of the other language expect. */
  #checkIn(operator: string, at: number, right: Node): void {
    if (operator !== 'in' && operator !== '!in') return
    if (this.#language === 'javascript' && right.tag === 'list') {
      throw new ExpressionSyntaxError(
        at,
        'in looks for an index of a list in JavaScript',
        'Write [...].includes(value)',
      )
    }
    if (this.#language === 'groovy' && right.tag === 'literal' && typeof right.value === 'string') {
      throw new ExpressionSyntaxError(at, 'in looks for an element of a list', 'Write text.contains(part), or ==')
    }
  }

  #unary(): Node {
    const token = this.#token()
    const operator = token.tag === 'operator' ? token.operator : ''
    if (operator !== '!' && operator !== '-' && operator !== '+') return this.#chain()
    this.#next += 1
    this.#level += 1
    if (this.#level > DEPTH_MAX) throw this.#tooDeep()
    const operand = this.#unary()
    this.#level -= 1
    // The smallest Integer is the only one whose digits alone are a Long.
    if (operator === '-' && operand.tag === 'literal' && operand.value === 2n ** 31n) {
      return this.#node(token.at, { tag: 'literal', value: -(2 ** 31) })
    }
    return this.#node(token.at, { tag: 'unary', operator, operand })
  }

  #chain(): Node {
    const base = this.#primary()
    const steps: Step[] = []
    for (;;) {
      const step = this.#step()
      if (step === null) break
      steps.push(step)
    }
    return steps.length === 0 ? base : this.#node(base.at, { tag: 'chain', base, steps })
  }

  #step(): Step | null {
    const token = this.#token()
    const { at } = token
    if (this.#takes('?[')) return { tag: 'index', at, isSafe: true, index: this.#indexAfterBracket() }
    const isSafe = this.#takes('?.')
    if (isSafe && this.#language === 'javascript' && this.#takes('[')) {
      return { tag: 'index', at, isSafe, index: this.#indexAfterBracket() }
    }
    if (isSafe || this.#takes('.')) {
      const nameAt = this.#token().at
      const name = this.#memberName()
      if (!this.#isOperator('(')) return { tag: 'property', at: nameAt, isSafe, name }
      this.#next += 1
      return { tag: 'call', at: nameAt, isSafe, name, args: this.#listUntil(')') }
    }
    if (!this.#isOperator('[')) return null
    this.#refuseLineBreak(token, '[')
    this.#next += 1
    return { tag: 'index', at, isSafe: false, index: this.#indexAfterBracket() }
  }

  #memberName(): string {
    const token = this.#token()
    let name: string | null = null
    if (token.tag === 'name') name = token.name
    else if (token.tag === 'literal' && typeof token.value === 'string' && this.#language === 'groovy')
      name = token.value
    if (name === null) throw this.#unexpected('the name of a field')
    this.#next += 1
    return name
  }

  #indexAfterBracket(): Node {
    const index = this.#expression()
    this.#expect(']')
    return index
  }

  #listUntil(close: ')' | ']'): readonly Node[] {
    const items: Node[] = []
    while (!this.#takes(close)) {
      if (items.length > 0) this.#expect(',', ` or ${close}`)
      items.push(this.#expression())
    }
    return items
  }

  #primary(): Node {
    const token = this.#token()
    this.#next += 1
    switch (token.tag) {
      case 'literal':
        return this.#node(token.at, { tag: 'literal', value: token.value })
      case 'text':
        return this.#node(token.at, { tag: 'text', parts: token.parts.map((part) => this.#textPart(part, token.at)) })
      case 'pattern':
        return this.#pattern(token.at, token.source, token.flags)
      case 'name':
        return this.#named(token.at, token.name)
      case 'operator':
        if (token.operator === '(') {
          const inner = this.#expression()
          this.#expect(')')
          // A copy, because the same node without parentheses is another one.
          const copy = { ...inner }
          this.#parenthesized.add(copy)
          return copy
        }
        if (token.operator === '[') return this.#node(token.at, { tag: 'list', items: this.#listUntil(']') })
        break
      case 'end':
        break
    }
    this.#next -= 1
    throw this.#unexpected('a value')
  }

  #textPart(part: TextPart, at: number): Node {
    if (typeof part === 'string') return this.#node(at, { tag: 'literal', value: part })
    const range = { source: this.#source, start: part.at, end: part.at + part.source.length }
    return new Parser(range, this.#language, this.#level + 1).parse()
  }

  #pattern(at: number, source: string, flags: string): Node {
    if (!/^[isg]?$/.test(flags) || flags === 's') {
      throw new ExpressionSyntaxError(
        at,
        `the flags ${flags} are not supported`,
        'Write the pattern without them, or with i',
      )
    }
    return this.#node(at, { tag: 'pattern', source, ignoresCase: flags === 'i' })
  }

  #named(at: number, name: string): Node {
    switch (name) {
      case 'true':
      case 'false':
        return this.#node(at, { tag: 'literal', value: name === 'true' })
      case 'null':
        return this.#node(at, { tag: 'literal', value: null })
      case 'undefined':
        if (this.#language === 'javascript') return this.#node(at, { tag: 'literal', value: undefined })
        break
    }
    if (isVariable(name)) return this.#node(at, { tag: 'variable', name })
    const reason = STATEMENTS.has(name) ? `${name} is not supported` : `there is no variable ${name}`
    throw new ExpressionSyntaxError(at, reason, remedyForName(name))
  }

  #node(at: number, node: NodeOf): Node {
    const depth = 1 + depthBelow(node)
    if (depth > DEPTH_MAX) throw this.#tooDeep(at)
    return { ...node, at, depth }
  }

  #token(): Token {
    // In range: the end is never taken.
    return this.#tokens[Math.min(this.#next, this.#tokens.length - 1)] as Token
  }

  #isOperator(operator: string): boolean {
    const token = this.#token()
    return token.tag === 'operator' && token.operator === operator
  }

  #isName(name: string): boolean {
    const token = this.#token()
    return token.tag === 'name' && token.name === name
  }

  #takes(operator: string): boolean {
    const isThere = this.#isOperator(operator)
    if (isThere) this.#next += 1
    return isThere
  }

  #expect(operator: string, orElse = ''): void {
    if (!this.#takes(operator)) throw this.#unexpected(`${operator}${orElse}`)
  }

  /** Groovy ends the expression at such a line, and its value would be that of the next line. */
  #refuseLineBreak(token: Token, operator: string): void {
    if (this.#language !== 'groovy' || !token.isAfterLineBreak || !['+', '-', '['].includes(operator)) return
    throw this.#refusal(
      `${operator} is at the start of a line, where Groovy starts another expression`,
      'Move it to the end of the line above',
    )
  }

  #unexpected(expected: string): ExpressionSyntaxError {
    const token = this.#token()
    if (token.tag === 'end') return this.#refusal(`the expression ends where ${expected} is expected`)
    const found = this.#source
      .slice(token.at, this.#tokens[this.#next + 1]?.at)
      .trim()
      .slice(0, 40)
    const remedy = token.tag === 'name' ? remedyForName(token.name) : ''
    return this.#refusal(`${expected} is expected instead of ${found}`, remedy)
  }

  #refusal(reason: string, remedy = ''): ExpressionSyntaxError {
    return new ExpressionSyntaxError(this.#token().at, reason, remedy)
  }

  #tooDeep(at = this.#token().at): ExpressionSyntaxError {
    return new ExpressionSyntaxError(
      at,
      `the expression is nested deeper than ${DEPTH_MAX} levels`,
      'Divide it, or remove parentheses',
    )
  }
}

function isVariable(name: string): name is Variable {
  return (VARIABLES as readonly string[]).includes(name)
}

/** Operands are appended in place: a copy for each would take quadratic time. Only the parser has the list. */
function appended(operands: readonly Node[], operand: Node): readonly Node[] {
  ;(operands as Node[]).push(operand)
  return operands
}

function depthBelow(node: NodeOf): number {
  switch (node.tag) {
    case 'literal':
    case 'variable':
    case 'pattern':
      return 0
    case 'text':
      return deepest(node.parts)
    case 'list':
      return deepest(node.items)
    case 'unary':
      return node.operand.depth
    case 'binary':
      return Math.max(node.left.depth, node.right.depth)
    case 'logical':
      return deepest(node.operands)
    case 'conditional':
      return Math.max(node.test.depth, node.yes.depth, node.no.depth)
    case 'chain':
      return node.steps.reduce((depth, step) => Math.max(depth, stepDepth(step)), node.base.depth)
  }
}

function stepDepth(step: Step): number {
  if (step.tag === 'property') return 0
  return step.tag === 'index' ? step.index.depth : deepest(step.args)
}

function deepest(nodes: readonly Node[]): number {
  return nodes.reduce((depth, node) => Math.max(depth, node.depth), 0)
}
