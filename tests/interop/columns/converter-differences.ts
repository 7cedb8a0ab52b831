import { ANY, type DeliberateDifference, schema, value } from '../../conformance/difference-rules.ts'

/** Where Tributary differs from Debezium in the script converters.sql, with the reason. */
export const converterDifferences: readonly DeliberateDifference[] = [
  {
    reason: 'a member of an ENUM is the text of the server, without the escapes that Debezium adds in the stream',
    recordings: /^(tiny|jdbc|zero)/,
    rules: [value('x_conv.kinds', 'en', [String.raw`"b\\,c"`, '"b,c"'])],
  },
  {
    reason: 'so its hash is another one',
    recordings: /^hashes$/,
    rules: [value('x_conv.kinds', 'en', ['"2"', '"6"'])],
  },
  {
    reason: 'a converted ENUM or SET is its text in the stream, too; Debezium converts the number of the binlog',
    recordings: /^together$/,
    rules: [value('x_conv.kinds', 'en|se', [/^"\d"$/, ANY]), value('x_conv.numbers', 'en|se', [/^"\d"$/, ANY])],
  },
  {
    reason: 'a TIMESTAMP has in a snapshot as many digits of the fraction as in the stream',
    recordings: /^(?!zero$|zero-literal$)/,
    rules: [
      schema('x_conv.zeros', 'sn', /default="1970-01-01T00:00:00Z"/, /default="1970-01-01T00:00:00\.000Z"/),
      value('x_conv.zeros', 's6|sn', (theirs, ours) => withoutZeros(theirs) === withoutZeros(ours)),
    ],
  },
  {
    reason: 'BOOLEAN in a streamed statement is TINYINT(1), as SHOW CREATE TABLE prints it',
    recordings: /^(tiny-selector|maps|hashes|zero.*)$/,
    rules: [
      schema('x_conv.made', 'bo', /type="boolean"/, /type="int16"/),
      value('x_conv.made', 'bo', (theirs, ours) => (theirs === 'true' ? '1' : '0') === ours),
    ],
  },
  {
    reason: 'so its source type is that of TINYINT(1)',
    recordings: /^together$/,
    rules: [schema('x_conv.made', 'bo', /"BOOLEAN"/, /"TINYINT"/)],
  },
  {
    reason: 'JSON has no blanks between its tokens in a snapshot, as in the stream',
    recordings: /^(?!maps$)/,
    rules: [value('x_conv.bytes', 'j', [String.raw`"{\"a\": 1}"`, String.raw`"{\"a\":1}"`])],
  },
  {
    reason: 'a schema parameter without a value is omitted: Avro has no such property',
    recordings: /^jdbc$/,
    rules: [schema('x_conv.numbers', 'vi|vd|vf|vdb', /character_set":null/, /^((?!parameters).)*$/)],
  },
  {
    reason: 'a column of a type that JdbcSinkDataTypesConverter cannot convert keeps its values; Debezium writes 0',
    recordings: /^jdbc$/,
    rules: ['d', 't', 'tn']
      .flatMap((column) => unconverted('x_conv.zeros', column))
      .concat(unconverted('x_conv.made', 'd')),
  },
  {
    reason: 'the same for floats',
    recordings: /^jdbc-float$/,
    rules: [...unconverted('x_conv.zeros', 'd'), ...unconverted('x_conv.made', 'd')],
  },
  {
    reason: 'the same beside another converter',
    recordings: /^together$/,
    rules: unconverted('x_conv.zeros', 't'),
  },
  {
    reason:
      'ZeroDateFallbackConverter of Debezium replaces the first value of a column without a DEFAULT, taking it for that default',
    recordings: /^zero(-literal)?$/,
    rules: [
      value('x_conv.made', 'd', [/^(null|-25566)$/, '18262']),
      value('x_conv.made', 's', [/^(null|"1971-02-03T03:05:06.7Z")$/, '"2020-01-01T00:00:00Z"']),
    ],
  },
]

function unconverted(table: string, column: string): DeliberateDifference['rules'] {
  return [
    schema(table, column, /type="(int16|double|float)"/, /name="io.debezium.time/),
    value(table, column, [/^[01]$/, /^-?\d{2,}$/]),
  ]
}

function withoutZeros(text: string): string {
  return text.replace(/(\.\d*?)0*Z"$/, '$1Z"').replace('.Z"', 'Z"')
}
