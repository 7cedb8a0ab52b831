/**
 * Words of libraries and of the engine: none of them may reach a user, who cannot know what they are about. Each is
 * from a message in the sources of mysql2, Node or OpenSSL.
 */
const LIBRARY_WORDS: readonly RegExp[] = [
  /\bTODO\b/,
  /streamFactory/,
  /enableCleartextPlugin|authPlugins|authentication plugins/,
  /AuthMoreData|AuthPluginMoreData|plugin in STATE/,
  /Unexpected packet|Expected EOF packet|packets out of order|closed state|no commands in the queue/,
  /Encoding not recognized/,
  /Cannot read propert|is not a function|is not iterable|Invalid array length/,
  /is out of range|outside buffer bounds|Invalid string length|argument must be/,
  /SSL routines|deps\/openssl|node_modules|node:internal/,
  /\bundefined\b|\bNaN\b|\[object /,
  /\bERR_[A-Z_]+\b/,
]

/** Characters that change a terminal or begin a line of their own in a log. */
const CONTROL = /(?!\n)[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

/** Why a text must not reach a user; null when it may. */
export function unclearIn(text: string): string | null {
  const word = LIBRARY_WORDS.find((each) => each.test(text))
  if (word !== undefined) return `words of a library (${word.source})`
  if (CONTROL.test(text)) return 'a control character'
  return text.length > TEXT_MAX ? `${text.length} characters` : null
}

/** Longer texts are not read; the longest of the connector's own has 1,200 characters. */
const TEXT_MAX = 3_000
