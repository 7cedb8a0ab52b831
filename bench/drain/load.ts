import type { Database } from '@tributary/testkit'

/** What a load is made of. */
export interface Load {
  /** Rows changed: one event each. */
  readonly events: number
  readonly database: string
}

/**
 * Small transactions of one row each, as an application makes them: three inserts, then an update of the last. The table is that of
 * SPEC.md's example. The server runs the loop itself, so that making the load does not take the processor that drains it.
 */
export async function makeSmallTransactions(server: Database, { events, database }: Load): Promise<void> {
  await server.query(`
    CREATE PROCEDURE ${database}.fill(IN n INT)
    BEGIN
      DECLARE i INT DEFAULT 0;
      WHILE i < n DO
        INSERT INTO ${database}.customers VALUES (DEFAULT, CONCAT('first', i), CONCAT('last name ', i), CONCAT('user', i, '@example.com'));
        SET i = i + 1;
        IF i % 4 = 3 AND i < n THEN
          UPDATE ${database}.customers SET first_name = CONCAT('changed', i) WHERE id = LAST_INSERT_ID();
          SET i = i + 1;
        END IF;
      END WHILE;
    END`)
  await server.query(`CALL ${database}.fill(${events})`)
}

/** The table that the load changes. */
export async function createTable(server: Database, database: string): Promise<void> {
  await server.query(`
    CREATE DATABASE ${database};
    CREATE TABLE ${database}.customers (
      id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, first_name VARCHAR(255) NOT NULL,
      last_name VARCHAR(255) NOT NULL, email VARCHAR(255) NOT NULL)`)
}
