import type { Knex } from 'knex';
import { compiled } from '../../src/kernel/db/build';
import type { Database, Sql } from '../../src/kernel/db/database';

export interface Statement {
  text: string;
  values: unknown[];
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
  return {
    ...spied(database),
    transaction: (work, options) => database.transaction((tx) => work(spied(tx)), options),
  };
}
