import { sample } from './definitions';
import type { Reading } from './readings';

/** Ages of the installation's keys, by the clock of Postgres. The table has a row for each purpose and version. */
export const keysReading: Reading = {
  name: 'keys',
  gauges: ['key_age_seconds'],
  keptMs: 600_000,
  async read(sql) {
    const newest = await sql.query<{ purpose: string; age: number }>(
      `select purpose, extract(epoch from now() - max(created_at))::float8 as age
         from installation_keys group by purpose`,
    );
    return newest.map(({ purpose, age }) => sample('key_age_seconds', { purpose }, Math.max(0, age)));
  },
};

/** Postgres's own view of its archive of WAL. */
export const archiveReading: Reading = {
  name: 'wal_archive',
  gauges: ['wal_archive_failing', 'wal_archive_age_seconds'],
  keptMs: 60_000,
  async read(sql) {
    const [archive] = await sql.query<{ failing: boolean; age: number | null }>(
      `select coalesce(last_failed_time > last_archived_time, last_failed_time is not null) as failing,
              extract(epoch from now() - last_archived_time)::float8 as age
         from pg_stat_archiver where current_setting('archive_mode') <> 'off'`,
    );
    if (!archive) return [];
    const failing = sample('wal_archive_failing', {}, archive.failing ? 1 : 0);
    return archive.age === null ? [failing] : [failing, sample('wal_archive_age_seconds', {}, archive.age)];
  },
};

/** Sessions and transaction ids: Postgres stops when either is used up. The runtime role may read both. */
export const postgresReading: Reading = {
  name: 'postgres',
  gauges: ['postgres_connections', 'postgres_connections_limit', 'postgres_transaction_ids_age'],
  keptMs: 60_000,
  async read(sql) {
    const [found] = await sql.query<{ used: number; limit: number; age: number }>(
      `select (select sum(numbackends)::int from pg_stat_database) as used,
              current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as limit,
              (select max(age(datfrozenxid)) from pg_database) as age`,
    );
    if (!found) return [];
    return [
      sample('postgres_connections', {}, found.used),
      sample('postgres_connections_limit', {}, found.limit),
      sample('postgres_transaction_ids_age', {}, found.age),
    ];
  },
};
