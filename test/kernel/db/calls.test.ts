import { type AddressInfo, createServer } from 'node:net';
import { callOthers, hearOthers } from '../../../src/kernel/db/calls';
import { type TestDatabase, testDatabase } from '../../support/database';
import { until } from '../../support/until';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

const listeners = async () =>
  (
    await test.database.query(
      `select from pg_stat_activity where application_name = 'hears' and state = 'idle'`,
    )
  ).length;

it('calls another process after a quiet second, and not for each commit', async () => {
  let heard = 0;
  const hearing = hearOthers({ url: test.runtimeUrl, name: 'hears' }, () => {
    heard += 1;
  });
  try {
    await until(async () => (await listeners()) === 1);
    const sent: string[] = [];
    const database = {
      ...test.runtime,
      query: ((text: string, values?: unknown[]) => {
        sent.push(text);
        return test.runtime.query(text, values);
      }) as typeof test.runtime.query,
    };
    for (let commit = 0; commit < 100; commit += 1) callOthers(database);
    await until(() => heard > 0);
    expect(sent).toHaveLength(1);
    expect(heard).toBe(1);
  } finally {
    await hearing.stop();
  }
  expect(await listeners()).toBe(0);
});

/** @returns the number of connections that a process opens at this address to hear calls */
async function connectionsTo(options: string): Promise<number> {
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `postgres://runtime@127.0.0.1:${port}/cardwright${options}`;
  await hearOthers({ url, name: 'hears' }, () => undefined).stop();
  await new Promise((resolve) => server.close(resolve));
  return opened;
}

it('hears no calls through PgBouncer, whose session another process would get next', async () => {
  expect(await connectionsTo('')).toBe(1);
  expect(await connectionsTo('?pgbouncer=true')).toBe(0);
});
