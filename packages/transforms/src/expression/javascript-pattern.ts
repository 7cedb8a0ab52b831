import type { Patterns, TextPattern } from './text-pattern.ts'

/** JavaScript's white space, as the content of a class. */
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

/**
 * Compiles a regular expression of JavaScript: the constructs that both languages have, with JavaScript's meaning.
 *
 * @throws SyntaxError for others
 */
export function javaScriptPattern(
  { source, ignoresCase }: { readonly source: string; readonly ignoresCase: boolean },
  patterns: Patterns,
): TextPattern {
  if (ignoresCase && /[^\p{ASCII}]/u.test(source)) {
    throw new SyntaxError('the flag i needs a pattern of ASCII characters. Write both cases, as [Aa]')
  }
  let java = ''
  let inClass = false
  for (let i = 0; i < source.length; i++) {
    const c = source.charAt(i)
    if (c === '\\') {
      i += 1
      java += translateEscape(source.charAt(i), inClass)
    } else if (inClass) {
      if (c === ']') inClass = false
      java += c === '[' || c === '&' || (c === '^' && !java.endsWith('[')) ? `\\${c}` : c
    } else if (c === '[') {
      if (/^\[\^?\]/.test(source.slice(i, i + 3))) throw new SyntaxError('the class is empty. Remove it')
      inClass = true
      java += c
    } else java += translateCharacter(c, source.slice(i + 1, i + 4))
  }
  return patterns.compile(java, ignoresCase)
}

function translateCharacter(c: string, following: string): string {
  if (c === '.') return '[^\\n\\r\\u2028\\u2029]'
  // Java's $ also matches before a line break at the end.
  if (c === '$') return '\\z'
  if (c === '(' && following.startsWith('?') && !following.startsWith('?:')) {
    throw new SyntaxError(`(${following.slice(0, 2)} is not supported. Write (?: or remove it`)
  }
  if (/^[*+?}]$/.test(c) && following.startsWith('+')) throw new SyntaxError('a repetition is repeated. Remove one')
  if (c === '}' || c === ']') return c === '}' ? c : '\\]'
  return c
}

function translateEscape(c: string, inClass: boolean): string {
  if (c === 's') return inClass ? SPACE : `[${SPACE}]`
  if (c === 'S' && !inClass) return `[^${SPACE}]`
  if (/^[dDwWfnrt]$/.test(c) || (/^[bB]$/.test(c) && !inClass)) return `\\${c}`
  if (/^[^\p{L}\p{N}_]$/u.test(c)) return `\\${c}`
  throw new SyntaxError(`\\${c} is not supported. Write the character itself`)
}
