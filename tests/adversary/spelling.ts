import type { HistoryModel } from './history-model.ts'
import type { SessionVariables } from './steps.ts'

/** The same statement as people and programs may write it, and the variables that it needs. */
export function spelled(
  sql: string,
  { random, options }: HistoryModel,
): { readonly text: string; readonly set: SessionVariables } {
  const kind = random()
  const twoPhase: SessionVariables =
    options.flavor === 'mariadb' && sql.startsWith('ALTER') && random() < 0.1 ? { binlog_alter_two_phase: 'ON' } : {}
  const plain = (text: string): { readonly text: string; readonly set: SessionVariables } => ({ text, set: twoPhase })
  if (kind < 0.08) return plain(sql.replace(' ', ' /* a; note */ '))
  if (kind < 0.18) return plain(sql.toLowerCase())
  if (kind < 0.26) return plain(sql.replaceAll(/(?<!`)\bh\d+[a-z]\d+\b(?![é$`-])/g, '`$&`'))
  if (kind < 0.3) return plain(`-- a note\n${sql}`)
  if (kind < 0.34) return plain(`${sql} # '"\``)
  // Names may contain a space.
  if (kind < 0.38 && !sql.includes('`')) return plain(sql.replaceAll(' ', '\n\t'))
  if (kind < 0.42) return plain(`/*!40000 ${sql.replace('*/', '')} */`)
  if (kind < 0.48) {
    const text = sql.replaceAll(/`((?:[^`]|``)*)`/g, (_, name: string) => `"${name.replaceAll('``', '`')}"`)
    return sql.includes('"') ? plain(sql) : { text, set: { sql_mode: `'ANSI_QUOTES,STRICT_ALL_TABLES'` } }
  }
  if (kind < 0.54 && /^ALTER TABLE \S+ (?:ADD|DROP|MODIFY|CHANGE|RENAME)/.test(sql) && !/PARTITION/.test(sql))
    return { text: `${sql}, COMMENT 'c:\\'`, set: { sql_mode: `'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES'` } }
  return plain(sql)
}
