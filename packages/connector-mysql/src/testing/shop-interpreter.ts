import { DdlInterpreter } from '../schema/ddl-interpreter.ts'

/** Without tables; statements are those of MySQL 9.7 in a database `shop` of utf8mb4. */
export function shopInterpreter(): DdlInterpreter {
  const interpreter = new DdlInterpreter({
    flavor: 'mysql',
    serverVersion: 90_704,
    lowerCaseTableNames: 0,
    serverCharset: 'utf8mb4',
    includesComments: false,
  })
  interpreter.setDatabaseCharset('shop', 'utf8mb4')
  return interpreter
}
