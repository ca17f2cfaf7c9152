import type { Knex } from 'knex';
import { compiled } from '../../src/kernel/db/build';
import type { Database, Sql, Tx } from '../../src/kernel/db/database';

export interface Statement {
  text: string;
  values: unknown[];
  /** Sent with the commit, without waiting for its result. */
  deferred?: true;
}

/** Wraps the database and collects every statement. */
export function spiedDatabase(database: Database, statements: Statement[]): Database {
  const spied = <S extends Sql>(sql: S): S => ({
    ...sql,
    run<Row>(built: Knex.QueryBuilder) {
      statements.push(compiled(built));
      return sql.run<Row>(built);
    },
    query<Row>(text: string, values: unknown[] = []) {
      statements.push({ text, values });
      return sql.query<Row>(text, values);
    },
    prepared<Row>(name: string, text: string, values: unknown[]) {
      statements.push({ text, values });
      return sql.prepared<Row>(name, text, values);
    },
  });
  const deferring = (tx: Tx): Tx => ({
    ...spied(tx),
    defer(statement, then) {
      const built = 'text' in statement ? statement : compiled(statement);
      statements.push({ ...built, deferred: true });
      tx.defer(statement, then);
    },
  });
  return {
    ...spied(database),
    transaction: (work, options) => database.transaction((tx) => work(deferring(tx)), options),
  };
}
