import { DDL, type DeliberateDifference, record, structure, value } from './difference-rules.ts'

/** Texts that the reference decodes in another charset than that of their column. */
export const CHARSETS: readonly DeliberateDifference[] = [
  {
    defect: 38,
    reason: 'texts are decoded in the charset of their column, also in the stream',
    recordings: /^m08_annotate_charsets$/,
    rules: [value('g_ma.q2?', 'k', ['"╥жак"', '"Їжак"']), value('g_ma.q2?', 'c', [/�/, '"①日本"'])],
  },
  {
    defect: 21,
    reason: 'a database is known although it had no table when the snapshot was taken',
    recordings: /^27_charsets_db$/,
    rules: [
      record('extra', DDL, /^(DROP DATABASE IF EXISTS|CREATE DATABASE|USE) `g_cs_(sj|u)`/),
      structure('(defaultCharsetName|columns\\[[sc]\\]\\.charsetName)', '"latin1"', /^"(sjis|utf8mb4)"$/),
      value('g_cs_sj.j[123]', 's', ['"“ú–{Œê"', '"日本語"']),
      value('g_cs_sj.j1', 'c', ['"¶Å"', '"ｶﾅ"']),
      value('g_cs_u.like_sj', 's', ['"Š¿Žš"', '"漢字"']),
      value('g_cs_u.like_sj', 'c', ['"¶Å"', '"ｶﾅ"']),
      value('g_cs_u.u[12]', 's', ['"straÃŸe"', '"straße"']),
    ],
  },
  {
    defect: 22,
    reason: 'the default charset of a table follows its collation and ALTER TABLE',
    recordings: /^27_charsets_db$/,
    rules: [
      structure('(defaultCharsetName|columns\\[s\\]\\.charsetName)', '"latin1"', '"koi8r"'),
      structure('(defaultCharsetName|columns\\[x\\]\\.charsetName)', '"latin1"', '"latin2"'),
      structure('defaultCharsetName', '"cp1251"', '"utf8mb4"'),
      value('g_cs_l1.s3', 's', [/^"(ðÒÉ×ÅÔ|äÁ)"$/, /^"(Привет|Да)"$/]),
      value('g_cs_l1.s3', 'x', ['"¾"', '"ž"']),
    ],
  },
]
