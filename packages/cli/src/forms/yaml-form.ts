import { Composer, type CST, type Document, Lexer, Parser } from 'yaml'
import type { FormDocument } from './connector-document.ts'
import { FormError } from './form-error.ts'
import { documentOf, isObject } from './json-form.ts'
import { DEPTH_MAX, VALUES_MAX } from './limits.ts'
import { isResource, readResources } from './strimzi.ts'
import { YamlValues } from './yaml-values.ts'

/**
 * Documents of YAML: Strimzi's `KafkaConnector` resources, also within a `List` and among resources of other kinds, and
 * the two forms of JSON.
 */
export function readYaml(text: string): readonly FormDocument[] {
  const tokens = tokensOf(text)
  checkSize(tokens)
  const documents = [...new Composer().compose(tokens)].flatMap((document) => valueOf(document))
  const resources = documents.filter((document) => isResource(document))
  const others = documents.filter((document) => !isResource(document))
  return [
    ...readResources(resources),
    ...others.map((document) => {
      if (!isObject(document)) throw new FormError('it is YAML, but not a map')
      return documentOf(document)
    }),
  ]
}

/** The value of a document; none for an empty one. */
function valueOf(document: Document.Parsed): readonly unknown[] {
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) {
    // The message of the library may quote the file.
    throw new FormError(`it is not YAML: ${FAULTS[fault.code] ?? faultName(fault.code)}`, fault.pos[0])
  }
  return document.contents === null ? [] : [new YamlValues(document).of(document.contents)]
}

const FAULTS: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the indentation is wrong',
  DUPLICATE_KEY: 'a key occurs twice',
  MISSING_CHAR: 'a character is missing, such as a quote or a bracket',
  TAB_AS_INDENT: 'a tab is used for indentation',
  TAG_RESOLVE_FAILED: 'it has a tag (!…), which has no meaning here',
  UNEXPECTED_TOKEN: 'there is something that does not belong here',
}

/** `BAD_DQ_ESCAPE` as words. */
function faultName(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ')
}

/** Each level is at most a map or list, its key and its value on the stack of the parser. */
const STACK_MAX = 3 * (DEPTH_MAX + 2)

/** A value has about ten lexemes with its key, signs, blanks and line end; the rest is for comments. */
const LEXEMES_MAX = 20 * VALUES_MAX

/**
 * The library takes quadratic time for levels within each other and for comments that follow each other, so that both
 * are counted while it reads.
 */
function tokensOf(text: string): readonly CST.Token[] {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    lexemes += 1
    if (lexemes > LEXEMES_MAX || parser.stack.length > STACK_MAX) {
      // The tokens so far have the place of what exceeds a limit.
      checkSize([...tokens, ...parser.end()])
      throw new FormError('it has too many lines', parser.offset)
    }
  }
  return [...tokens, ...parser.end()]
}

/** The library composes documents recursively, and compares each key of a map with all others. */
function checkSize(tokens: readonly CST.Token[]): void {
  let level: readonly CST.Token[] = tokens
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length
    // Keys and values are counted alike. A document is a level of its own.
    const isLarge = count > 2 * VALUES_MAX
    if (isLarge || depth > DEPTH_MAX + 1) {
      const reason = isLarge ? `${VALUES_MAX} values` : `${DEPTH_MAX} levels`
      throw new FormError(`it has more than ${reason}`, offsetOf(level[0]))
    }
    level = level.flatMap((token) => partsOf(token))
  }
}

function offsetOf(token: CST.Token | undefined): number {
  return token !== undefined && 'offset' in token ? token.offset : 0
}

function partsOf(token: CST.Token): readonly CST.Token[] {
  const parts: (CST.Token | null | undefined)[] = []
  if ('value' in token) parts.push(token.value)
  if ('items' in token) for (const { key, value } of token.items) parts.push(key, value)
  return parts.filter((part) => part !== null && part !== undefined)
}
