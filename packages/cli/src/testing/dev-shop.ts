import { type Database, uniqueName } from '@tributary/testkit'

/** The login is that of the administrator by default. */
export function urlOf({ host, port }: Database, path: string, login = 'root:'): string {
  return `mysql://${login}@${host}:${port}/${path}`
}

/** A database with two tables, of one row each; returns its name. */
export async function createShop(database: Database): Promise<string> {
  const name = uniqueName('dev')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.customers (id INT PRIMARY KEY, name VARCHAR(40));
    CREATE TABLE ${name}.orders (id INT PRIMARY KEY); INSERT INTO ${name}.customers VALUES (1, 'Mei');
    INSERT INTO ${name}.orders VALUES (0)`)
  return name
}

/** A user with the password `se cret@1`; returns its name. */
export async function createUser(database: Database, grants: string): Promise<string> {
  const user = uniqueName('u').slice(-16)
  await database.query(`CREATE USER '${user}'@'%' IDENTIFIED BY 'se cret@1'; GRANT ${grants} TO '${user}'@'%'`)
  return user
}

/** Of a connector. */
export const PRIVILEGES: string =
  'SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.*'
