import type { SourceRecord } from '@tributary/connect-api'
import { compileNode } from './compile.ts'
import type { Dialect } from './dialect.ts'
import type { Evaluate } from './evaluate.ts'
import { groovyDialect } from './groovy-dialect.ts'
import { javaScriptDialect } from './javascript-dialect.ts'
import type { Language } from './language.ts'
import { parseExpression } from './parser.ts'
import { Scope } from './scope.ts'
import { Patterns } from './text-pattern.ts'
import type { Value } from './values.ts'

const DIALECTS: Readonly<Record<Language, Dialect>> = { groovy: groovyDialect, javascript: javaScriptDialect }

/**
 * An expression of Groovy or JavaScript over a record, parsed and compiled once, and evaluated in bounded time. Nothing
 * of it is executed as code.
 *
 *     new Expression("value.op == 'u' && value.before.id == 2", 'groovy').evaluate(record) // true
 */
export class Expression {
  readonly #evaluate: Evaluate
  readonly #scope = new Scope()

  /** @throws ExpressionSyntaxError for anything that is not supported, with its place and what to write instead */
  constructor(source: string, language: Language) {
    this.#evaluate = compileNode(parseExpression(source, language), {
      ...DIALECTS[language],
      patterns: new Patterns(),
    })
  }

  /** @throws EvaluationError for values that an operation does not have; `failedAt` is its place */
  evaluate(record: SourceRecord): Value {
    this.#scope.enter(record)
    try {
      return this.#evaluate(this.#scope)
    } finally {
      this.#scope.leave()
    }
  }

  /** Index in the source of the operation that the last evaluation has failed in. */
  get failedAt(): number {
    return this.#scope.at
  }
}
