import type { Database, DatabaseConnection } from '@tributary/testkit'

/** Transactions that insert, update and delete rows of the table `orders`, one after the other, on each connection. */
export interface Writers extends AsyncDisposable {
  readonly count: number
}

/** Creates the database and its table `orders` with that many rows. */
export async function createOrders(database: Database, name: string, rows: number): Promise<void> {
  const digits =
    '(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)'
  const powers = Array.from({ length: String(rows).length }, (_, i) => `t${i}.d * ${10 ** i}`).join(' + ')
  const tables = Array.from({ length: String(rows).length }, (_, i) => `${digits} t${i}`).join(', ')
  await database.query(`
    CREATE DATABASE ${name}; USE ${name};
    CREATE TABLE orders (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40), amount DECIMAL(12,2), at DATETIME(6));
    INSERT INTO orders (name, amount, at) SELECT CONCAT('row ', n), n * 1.25, NOW(6)
      FROM (SELECT ${powers} AS n FROM ${tables}) numbers WHERE n < ${rows}`)
}

const CONNECTIONS = 3

/** @param perSecond transactions per second together; default: as many as possible */
export async function startWriters(database: Database, name: string, perSecond: number = Infinity): Promise<Writers> {
  const stop = new AbortController()
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => database.connect('root')))
  const state = { count: 0 }
  const startMs = Date.now()
  const loops = connections.map(async (connection, i) => {
    for (let round = 0; !stop.signal.aborted; round++) {
      await change(connection, name, round * CONNECTIONS + i)
      state.count += 1
      const dueMs = (state.count / perSecond) * 1000 - (Date.now() - startMs)
      if (dueMs > 1) await new Promise((resolve) => setTimeout(resolve, dueMs))
    }
  })
  return {
    get count() {
      return state.count
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(loops)
      for (const connection of connections) await connection.end()
    },
  }
}

async function change(connection: DatabaseConnection, name: string, number: number): Promise<void> {
  const orders = `\`${name}\`.orders`
  const kind = number % 5
  if (kind === 0)
    await connection.query(`INSERT INTO ${orders} (name, amount, at) VALUES ('new ${number}', ${number}, NOW(6))`)
  // A row that nearly every position finds in change.
  else if (kind === 1) await connection.query(`UPDATE ${orders} SET amount = amount + 1 WHERE id = 1`)
  else if (kind === 2)
    await connection.query(`UPDATE ${orders} SET name = 'row ${number}' WHERE id = ${(number * 7919) % 900}`)
  else if (kind === 3) await connection.query(`DELETE FROM ${orders} WHERE id = ${(number * 104729) % 2000}`)
  else await connection.query(`UPDATE IGNORE ${orders} SET id = id + 1000000 WHERE id = ${2 + ((number * 31) % 2000)}`)
}
