// An expression runs for every record, and a connector's configuration may be hostile: each of these bounds the time or
// the memory of one evaluation.

/** A list of 5,000 identifiers fits. */
export const EXPRESSION_CHARACTERS_MAX = 100_000

/** Levels of the tree. The parser and the evaluation recurse once per level; a stack has room for about 5,000. */
export const DEPTH_MAX = 250

/** Digits of a number: results with more are refused. A decimal column has at most 65. */
export const DIGITS_MAX = 10_000

/** Exponents of literals: those of a double end at 308. */
export const EXPONENT_MAX = 400

/**
 * Characters that one evaluation may read, search or make: 0.1 seconds. A text of 16 million characters, the longest
 * that MEDIUMTEXT has, can be read twice.
 */
export const CHARACTERS_PER_RECORD_MAX = 33_554_432

/** A result, or a value in an error, is shown up to this length. */
export const SHOWN_CHARACTERS_MAX = 200

/** Of all patterns of an expression: they compile in a second, which REST waits for. */
export const INSTRUCTIONS_MAX = 250_000

/** Of a reason for a refusal, which may quote a pattern or a name. */
export const REASON_CHARACTERS_MAX = 300
