import { DdlInterpreter } from '../schema/ddl-interpreter.ts'

/** An interpreter without tables, for statements of MySQL 9.7 in a database `shop` with utf8mb4. */
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
