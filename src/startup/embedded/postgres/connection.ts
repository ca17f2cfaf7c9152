import { createHmac } from 'node:crypto';
import { Client } from 'pg';

/** The superuser of the embedded server. It owns the schema. */
export const USER = 'cardwright';
/** The role that runs the product on the embedded server. */
const RUNTIME = 'cardwright_runtime';

/** Port and password of the server, kept between runs. */
export interface Access {
  port: number;
  password: string;
}

export const connectionUrl = ({ port, password }: Access, database: string): string =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;

/** The address of the runtime role beside the owner's. Its password is derived from the owner's, so nothing more is stored. */
export function runtimeUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = runtimePassword(url.password);
  url.username = RUNTIME;
  return url.toString();
}

const runtimePassword = (ownerPassword: string): string =>
  createHmac('sha256', ownerPassword).update(RUNTIME).digest('hex');

/** Statements, a line each, that give the roles of the embedded server new passwords. */
export const passwordStatements = (password: string): string[] => [
  `alter role ${USER} password '${password}'`,
  `do $$ begin if exists (select from pg_roles where rolname = '${RUNTIME}') then alter role ${RUNTIME} password '${runtimePassword(password)}'; end if; end $$`,
];

/** Creates a database unless it exists. */
export const ensureDatabase = (access: Access, name: string): Promise<void> =>
  connected(access, async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });

/** Whether a Postgres answers at the port, even if it refuses the password. */
export const answers = (access: Access): Promise<boolean> =>
  connected(access, (client) => client.query('SELECT 1')).then(() => true, isPasswordRefused);

export const isPasswordRefused = (error: { code?: string }): boolean => error.code === '28P01';

async function connected<T>(access: Access, use: (client: Client) => Promise<T>): Promise<T> {
  const connectionString = connectionUrl(access, 'postgres');
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
