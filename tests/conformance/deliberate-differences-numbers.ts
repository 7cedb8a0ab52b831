import { type DeliberateDifference, schema, structure, value } from './difference-rules.ts'
import { isSameFloatOfSixDigits } from './same-meaning.ts'

/** Of the types of numbers. */
export const NUMBERS: readonly DeliberateDifference[] = [
  {
    reason: 'in the mode long a default is the signed number that its rows have; the reference writes the largest one',
    recordings: /^01_integers$/,
    rules: [schema('g_int.intdef', 'h', /^default=9223372036854775807 /, /^default=-1 /)],
  },
  {
    reason: 'REAL is DOUBLE to MySQL and in SHOW CREATE TABLE, so that snapshot and stream agree and no digit is lost',
    recordings: /^02_decimals/,
    rules: [
      structure('columns\\[f\\]\\.jdbcType', '7', '8'),
      schema('g_dec.decs2', 'f', /type="float"$/, /type="double"$/),
      value('g_dec.decs2', 'f', ['0.0020000000949949026', '0.002']),
    ],
  },
  {
    defect: 33,
    reason: 'FLOAT in a snapshot has all its digits',
    recordings: /^02_decimals/,
    rules: [value('g_dec.floats', 'fu?', isSameFloatOfSixDigits), value('g_dec.floats', 'f24', isSameFloatOfSixDigits)],
  },
  {
    defect: 34,
    reason: 'a snapshot writes the stored DOUBLE(M,D), as the stream does, not its rounded text',
    recordings: /^02_decimals/,
    rules: [value('g_dec.floats', 'd2', ['-0.0001', '-0.00009999999999998899'])],
  },
]
