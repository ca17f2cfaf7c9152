import { provideForClient } from '../../../src/cards/programmes/operations';
import type { Sql, Tx } from '../../../src/kernel/db/database';
import { DatabaseAway } from '../../../src/kernel/db/faults';
import { newId } from '../../../src/kernel/ids';
import { createAccess } from '../../../src/tenants/clients/access';
import { createAuthenticator } from '../../../src/tenants/clients/authenticate';
import { createClient } from '../../../src/tenants/clients/create';
import { setClientStatus } from '../../../src/tenants/clients/operations';
import { revokeSecrets, rotateSecret } from '../../../src/tenants/clients/secrets';
import { tenantSettings } from '../../../src/tenants/clients/settings';
import { updateSettings } from '../../../src/tenants/clients/store';
import { type TestDatabase, testDatabase } from '../../support/database';
import { testKeyring } from '../../support/keyring';

/**
 * How long an API process trusts its cache of tenants and secrets. Each test has its own processes on one real
 * database, with a clock that the test controls.
 */

const keyring = testKeyring();
const STOPPING = { reason: 'test', stoppedBy: 'operator:test', at: new Date() };
let test: TestDatabase;
let clientId: string;
let secret: string;
let clock: number;

beforeAll(async () => {
  test = await testDatabase();
});
beforeEach(async () => {
  clock = 1_000_000;
  ({ clientId, clientSecret: secret } = await changed((tx) =>
    createClient(tx, keyring, { provide: provideForClient, name: 'Test', role: 'client', sandbox: false }),
  ));
});
afterAll(() => test.drop());

const changed = <T>(work: (tx: Tx) => Promise<T>) => test.database.transaction(work);

/** A process with its authentication and its database queries. */
function startProcess(options: { maxKnown?: number } = {}) {
  const asked: string[] = [];
  let underWay = 0;
  const process = {
    asked,
    /** Resolves when all queries were answered and the answers were processed. */
    async idle(): Promise<void> {
      do await new Promise((resolve) => setTimeout(resolve, 1));
      while (underWay > 0);
    },
    /** Runs before a statement is sent or after its answer, so that a test can block or break it. */
    before: async (_name: string): Promise<void> => undefined,
    after: async (_name: string): Promise<void> => undefined,
  };
  const prepared: Sql['prepared'] = async <Row>(name: string, text: string, values: unknown[]) => {
    asked.push(name);
    underWay += 1;
    try {
      await process.before(name);
      const rows = await test.database.prepared<Row>(name, text, values);
      await process.after(name);
      return rows;
    } finally {
      underWay -= 1;
    }
  };
  const database = { ...test.database, prepared };
  const access = createAccess(database, { now: () => clock, ...options });
  // Waiting moves the clock, so that a read that begins later is within its limit again.
  const sleep = async (milliseconds: number) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    clock += milliseconds;
  };
  const authenticate = createAuthenticator(database, keyring, access, { now: () => clock, sleep });
  const admits = async (clientSecret = secret, id = clientId) =>
    typeof (await authenticate(id, clientSecret)) === 'object';
  return Object.assign(process, { access, authenticate, admits });
}

/** Steady traffic: a request each 100 ms, whose background work is completed. */
async function passes(milliseconds: number, api: { admits(): Promise<boolean>; idle(): Promise<void> }) {
  for (const end = clock + milliseconds; clock < end; clock += 100) {
    await api.admits();
    await api.idle();
  }
}

/** Blocks its callers until it is opened. */
function gate() {
  let arrive = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached,
    open,
    pass: () => {
      arrive();
      return opened;
    },
  };
}

describe('the hot path', () => {
  it('queries the database only twice a second for changes', async () => {
    const api = startProcess();
    await Promise.all(Array.from({ length: 500 }, () => api.admits()));
    for (let each = 0; each < 500; each += 1) expect(await api.admits()).toBe(true);
    expect(api.asked).toEqual(['tenants-access']);
    await passes(10_000, api);
    expect(api.asked.filter((name) => name === 'tenants-access')).toHaveLength(1);
    expect(api.asked.length).toBeLessThanOrEqual(21);
    expect(api.asked.length).toBeGreaterThanOrEqual(10);
  });

  it('waits for no confirmation during traffic', async () => {
    const api = startProcess();
    await api.admits();
    const held = gate();
    api.before = held.pass;
    clock += 900;
    expect(await api.admits()).toBe(true); // although the confirmation hangs
    await held.reached;
    expect(api.asked).toEqual(['tenants-access', 'tenants-versions']);
    held.open();
    await api.idle();
  });
});

describe('a change by another process', () => {
  const changes: [string, (tx: Tx) => Promise<unknown>][] = [
    ['a rotation without an overlap', (tx) => rotateSecret(tx, keyring, clientId, 0)],
    ['a revocation', (tx) => revokeSecrets(tx, clientId, { name: null, currentEndsIn: 0 }, new Date())],
    ['a tenant that is disabled', (tx) => setClientStatus(tx, clientId, 'disabled', STOPPING)],
    [
      'a tenant that is disabled by hand',
      (tx) => tx.query(`update tenants set status = 'disabled' where id = $1`, [clientId]),
    ],
    [
      'a secret that is deleted by hand',
      (tx) => tx.query('delete from credentials where tenant_id = $1', [clientId]),
    ],
  ];

  it.each(changes)('%s: the secret is accepted for a second at most', async (_, change) => {
    const api = startProcess();
    expect(await api.admits()).toBe(true);
    await changed(change);
    clock += 1_001;
    expect(await api.admits()).toBe(false);
    expect(await api.admits()).toBe(false);
  });

  it.each(changes)('%s: is also found in the background', async (_, change) => {
    const api = startProcess();
    await passes(300, api);
    await changed(change);
    await passes(800, api);
    expect(await api.admits()).toBe(false);
  });

  it('accepts a new secret at once', async () => {
    const api = startProcess();
    await api.admits();
    const { credential } = await changed((tx) => rotateSecret(tx, keyring, clientId, 60));
    expect(await api.admits(credential.clientSecret)).toBe(true);
    expect(await api.admits(secret)).toBe(true);
  });

  it('admits an enabled tenant again, and applies a changed limit', async () => {
    const api = startProcess();
    await changed((tx) => setClientStatus(tx, clientId, 'disabled', STOPPING));
    expect(await api.admits()).toBe(false);
    await changed((tx) => setClientStatus(tx, clientId, 'active', STOPPING));
    expect(await api.admits()).toBe(true);
    const rateLimit = { perSecond: 7, burst: 9 };
    await changed((tx) => updateSettings(tx, clientId, tenantSettings.parse({ rateLimit })));
    clock += 1_001;
    expect(await api.authenticate(clientId, secret)).toMatchObject({ rateLimit });
  });

  it('ignores a confirmation that began too long ago', async () => {
    const api = startProcess();
    await api.admits();
    clock += 600;
    const held = gate();
    api.after = held.pass;
    expect(await api.admits()).toBe(true); // begins a confirmation, which Postgres answers before the change
    await held.reached;
    await changed((tx) => setClientStatus(tx, clientId, 'disabled', STOPPING));
    clock += 1_100;
    api.after = async () => undefined;
    const admitted = api.admits();
    held.open();
    expect(await admitted).toBe(false);
  });
});

describe('a change by this process', () => {
  it('takes effect at once', async () => {
    const api = startProcess();
    await api.admits();
    await changed((tx) => revokeSecrets(tx, clientId, { name: null, currentEndsIn: 0 }, new Date()));
    api.access.forget(clientId);
    expect(await api.admits()).toBe(false);
  });

  it('also applies to a tenant that is being read', async () => {
    const api = startProcess();
    const held = gate();
    api.after = held.pass;
    const early = api.admits();
    await held.reached;
    await changed((tx) => revokeSecrets(tx, clientId, { name: null, currentEndsIn: 0 }, new Date()));
    api.access.forget(clientId);
    api.after = async () => undefined;
    held.open();
    expect(await early).toBe(true); // the read began before the change
    expect(await api.admits()).toBe(false);
  });
});

it('ends a secret in its overlap by itself, without any change', async () => {
  const api = startProcess();
  await changed((tx) => rotateSecret(tx, keyring, clientId, 3_600));
  expect(await api.admits()).toBe(true);
  await passes(1_000, api);
  const reads = api.asked.filter((name) => name === 'tenants-access').length;
  expect(reads).toBe(1);
  clock += 3_600_000;
  // The secret is no longer accepted, and the database is queried once more.
  await api.admits();
  expect(api.asked.filter((name) => name === 'tenants-access').length).toBe(reads + 1);
});

describe('while the database does not answer', () => {
  const away = () => Promise.reject(new DatabaseAway('gone'));

  it('accepts a known secret for five seconds, and then none', async () => {
    const api = startProcess();
    await api.admits();
    api.before = away;
    clock += 1_500;
    expect(await api.admits()).toBe(true);
    clock += 3_400;
    expect(await api.admits()).toBe(true);
    clock += 200;
    await expect(api.admits()).rejects.toBeInstanceOf(DatabaseAway);
    api.before = async () => undefined;
    expect(await api.admits()).toBe(true);
  });

  it('rejects no unknown tenant as wrong', async () => {
    const api = startProcess();
    api.before = away;
    await expect(api.admits()).rejects.toBeInstanceOf(DatabaseAway);
  });
});

describe('unknown callers', () => {
  it('with wrong secrets cause ten queries, then at most five a second', async () => {
    const api = startProcess();
    await api.admits();
    for (let each = 0; each < 10; each += 1) expect(await api.admits('wrong')).toBe(false);
    expect(api.asked).toHaveLength(11);
    const flood = await Promise.all(Array.from({ length: 300 }, () => api.admits('wrong')));
    expect(flood.filter(Boolean)).toEqual([]);
    expect(api.asked).toHaveLength(12); // all of them shared one read
    await passes(2_000, { ...api, admits: () => api.admits('wrong') });
    const seconds = (clock - 1_000_000) / 1_000;
    const reads = api.asked.filter((name) => name === 'tenants-access').length;
    expect(reads).toBeLessThanOrEqual(11 + 5 * seconds);
    expect(await api.admits()).toBe(true);
  });

  it('with wrong secrets hide no secret that another process has just issued', async () => {
    const api = startProcess();
    await api.admits();
    for (let each = 0; each < 10; each += 1) await api.admits('wrong');
    const wrong = Array.from({ length: 50 }, () => api.admits('wrong'));
    const { credential } = await changed((tx) => rotateSecret(tx, keyring, clientId, 60));
    const answers = await Promise.all([api.admits(credential.clientSecret), ...wrong]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(answers[0]).toBe(true);
  });

  it('with unknown ids cause one statement at a time, in any number', async () => {
    const api = startProcess();
    let underWay = 0;
    let most = 0;
    api.before = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
    };
    api.after = async () => {
      underWay -= 1;
    };
    const answers = await Promise.all([
      ...Array.from({ length: 300 }, () => api.admits(secret, newId('tenant'))),
      api.admits(),
    ]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect([most, api.asked.length]).toEqual([1, 1]);
  });

  it('of a disabled tenant get the same limits', async () => {
    const api = startProcess();
    await changed((tx) => setClientStatus(tx, clientId, 'disabled', STOPPING));
    for (let each = 0; each < 11; each += 1) expect(await api.admits()).toBe(false);
    expect(api.asked).toHaveLength(11);
    await Promise.all(Array.from({ length: 100 }, () => api.admits()));
    expect(api.asked).toHaveLength(12);
  });
});

it('caches a limited number of tenants, and drops unused ones', async () => {
  const api = startProcess({ maxKnown: 2 });
  const others = await Promise.all(
    [1, 2].map(() =>
      changed((tx) =>
        createClient(tx, keyring, {
          provide: provideForClient,
          name: 'Test',
          role: 'client',
          sandbox: false,
        }),
      ),
    ),
  );
  for (const other of others) expect(await api.admits(other.clientSecret, other.clientId)).toBe(true);
  expect(await api.admits()).toBe(true); // drops the first of the others
  const [first, second] = others as [(typeof others)[0], (typeof others)[0]];
  const known = async () =>
    Promise.all(
      [first.clientId, second.clientId, clientId].map(async (id) => !!(await api.access.known(id))),
    );
  expect(await known()).toEqual([false, true, true]);
  await passes(62_000, api);
  expect(await known()).toEqual([false, false, true]);
});
