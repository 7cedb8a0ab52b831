import type { ConfigDef, ConfigMap, SourceRecord } from '@tributary/connect-api'
import { assert } from '@tributary/support'
import { transformErrors } from '../errors.ts'
import { EvaluationError } from '../expression/expression-error.ts'
import { Expression } from '../expression/expression.ts'
import { shownValue } from '../expression/shown-value.ts'
import type { Value } from '../expression/values.ts'
import { compilePattern } from '../stage/pattern-options.ts'
import { TopicMemo } from '../stage/topic-memo.ts'
import { languageOf, type NullMode } from './scripting-config.ts'

/** What is done with a record before its expression is evaluated. */
export type Decision = 'keep' | 'drop' | 'evaluate'

/** What Filter and ContentBasedRouter share: an expression for the records of some topics. */
export class RecordExpression {
  readonly #source: string
  readonly #expression: Expression
  readonly #nullMode: NullMode
  /** Returns an empty name for topics that the option excludes. */
  readonly #topics: TopicMemo | null

  /** @throws ConfigError, or TRANSFORMATION_OPTION */
  constructor(config: ConfigDef, expressionOption: string, options: ConfigMap) {
    const values = config.parse(options)
    const language = languageOf(values.string('language'))
    assert(language !== null, 'the validator has checked the language')
    this.#source = values.string(expressionOption)
    this.#expression = new Expression(this.#source, language)
    this.#nullMode = values.string('null.handling.mode').toLowerCase() as NullMode
    const regex = values.optionalString('topic.regex') ?? ''
    const pattern = regex === '' ? null : compilePattern('topic.regex', regex)
    this.#topics = pattern === null ? null : new TopicMemo((topic) => (pattern.matches(topic) ? topic : ''))
  }

  decide(record: SourceRecord): Decision {
    if (this.#topics !== null && this.#topics.of(record.topic) === '') return 'keep'
    return record.value === null ? this.#nullMode : 'evaluate'
  }

  /** @throws EXPRESSION_FAILED */
  evaluate(record: SourceRecord): Value {
    try {
      return this.#expression.evaluate(record)
    } catch (error) {
      if (error instanceof EvaluationError) throw this.#failure(error.message, error.remedy)
      throw error
    }
  }

  /** The error for a result that is not of the type that Java calls `type`. */
  wrongResult(value: Value, type: 'Boolean' | 'String'): Error {
    const remedy =
      type === 'Boolean' ? 'Compare the value, as in != null' : "Write 'text' + value, or null to keep the topic"
    return this.#failure(`Value '${shownValue(value)}' returned by the expression is not a ${type}`, remedy)
  }

  #failure(reason: string, remedy: string): Error {
    return transformErrors.EXPRESSION_FAILED({
      expression: this.#source.slice(0, SOURCE_SHOWN_MAX),
      position: this.#expression.failedAt + 1,
      reason,
      remedy: remedy === '' ? 'Exclude such records in the expression, with topic.regex or with a predicate' : remedy,
    })
  }
}

/** An error is one line of a log. */
const SOURCE_SHOWN_MAX = 300
