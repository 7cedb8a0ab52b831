/** What a document consists of. The names are those of Jackson's `JsonToken`: error texts print them. */
export type JsonToken =
  | 'START_OBJECT'
  | 'END_OBJECT'
  | 'START_ARRAY'
  | 'END_ARRAY'
  | 'FIELD_NAME'
  | 'VALUE_STRING'
  | 'VALUE_NUMBER_INT'
  | 'VALUE_NUMBER_FLOAT'
  | 'VALUE_TRUE'
  | 'VALUE_FALSE'
  | 'VALUE_NULL'
