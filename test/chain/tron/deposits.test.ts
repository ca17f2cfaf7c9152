import { checkLedger } from '../../../src/kernel/ledger/check';
import { setAdminLimit } from '../../support/operator';
import { expectOk, NETWORK, newHash, PAYER, TREASURY, type TronWorld, tronWorld } from './support';

let world: TronWorld;
let account: string;
beforeAll(async () => {
  world = await tronWorld();
  account = await world.account();
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const available = async (id = account): Promise<string> =>
  (await world.admin.call('GET', `/v2/accounts/${id}/balance`)).body.available;
const claim = (given: object, by = world.client) =>
  by.call('POST', '/v1/wallets/deposit', { chain: 'tron', ...given });
/** As if the wallet had been its holder's until two hours ago, and that account's for an hour now. */
const heldBefore = (address: string, by: { clientId: string; accountId: string }) =>
  world.api.database.query(
    `with before as (
       update wallet_allocations set started_at = now() - interval '3 hours', ended_at = now() - interval '2 hours' + interval '1 minute'
        where wallet_id = (select id from wallets where address = $1) returning *)
     insert into wallet_allocations (id, wallet_id, tenant_id, account_id, asset, reference, started_at, created_at, updated_at)
     select left(id, -4) || 'zzzz', wallet_id, $3, $2, asset, reference || '-', now() - interval '1 hour', now(), now() from before`,
    [address, by.accountId, by.clientId],
  );
/** What its client has been told of it, in order. */
const events = async (id: string, referenceId: string) =>
  (
    await world.api.database.query<{ said: string }>(
      `select coalesce(data::json->>'status', (data::json->>'type') || '/' || (data::json->>'subtype')) as said from events
        where $1 in (data::json->>'recordId') or $2 in (data::json->>'referenceId', data::json->>'linkedId') order by number`,
      [id, referenceId],
    )
  ).map(({ said }) => said);

describe('a deposit that a person has seen', () => {
  it('is credited at once, is what the client is told of its hash, and asks nobody', async () => {
    const [before, address, hash] = [Number(await available()), await world.allocate(account), newHash()];
    const early = await claim({ address, txHash: hash });
    expect([early.status, early.body.code, early.body.field]).toEqual([409, 'invalid_transition', 'txHash']);
    const recorded = await world.record(address, '25', { hash: `0x${hash.toUpperCase()}` });
    expect(recorded.json()).toEqual({ id: expect.stringMatching(/^cdp_/), status: 'credited' });
    expect(Number(await available())).toBe(before + 25);
    const told = await claim({ address, txHash: hash });
    expect([told.status, told.body]).toEqual([
      202,
      expect.objectContaining({
        ...{
          id: recorded.json().id,
          status: 'credited',
          accountId: account,
          txHash: hash,
          blockNumber: 70_000_000,
        },
        ...{ amount: '25.000000', creditedAmount: '25.000000', creditedCurrency: 'USDT' },
      }),
    ]);
    expect((await claim({ address, txHash: hash }, await world.api.client())).status).toBe(404);
    expect(await events(told.body.id, told.body.referenceId)).toEqual(['deposit/crypto', 'credited']);
    expect(await world.look(recorded.json().id)).toBe('credited');
    const [row] = await world.api.database.query('select look_at from transfers where id = $1', [
      recorded.json().id,
    ]);
    expect(row).toEqual({ look_at: null });
    expect(await world.booked('pool@tron:USDT')).toMatch(/^-/);
  });

  it('is one of its chain, transaction and ordinal, and written down with who has said it', async () => {
    const [address, hash] = [await world.allocate(account), newHash()];
    const first = (await world.record(address, '10', { hash })).json();
    const again = await world.record(address, '10', { hash });
    expect([again.code, JSON.parse(again.err).field]).toEqual([4, 'txHash']);
    const [line] = await world.api.database.query(
      `select actor, action, after from audit_log where subject = $1`,
      [first.id],
    );
    expect(line).toMatchObject({
      ...{ actor: 'operator:ida', action: 'chain-deposit.record' },
      after: {
        ...{ address, amount: '10', reason: 'seen on the explorer', status: 'credited' },
        ...{ ordinal: 0, from: PAYER, blockNumber: 70_000_000, blockAt: expect.any(String) },
      },
    });
    const [decision] = await world.api.database.query(
      `select kind, decided_by, reason from transfer_decisions where transfer_id = $1 order by number`,
      [first.id],
    );
    expect(decision).toEqual({
      ...{ kind: 'seen_by_person', decided_by: 'operator:ida', reason: 'seen on the explorer' },
    });
  });

  it('is booked once, though two record it, or take it back, at once', async () => {
    const [address, hash, before] = [await world.allocate(account), newHash(), Number(await available())];
    const both = await Promise.all([1, 2].map(() => world.record(address, '3', { hash })));
    expect(both.map(({ code }) => code).sort()).toEqual([0, 4]);
    expect(Number(await available())).toBe(before + 3);
    const { id } = both.find(({ code }) => code === 0)!.json();
    const back = await Promise.all([world.takeBack(id), world.takeBack(id)]);
    expect(back.map(({ code }) => code).sort()).toEqual([0, 4]);
    expect(Number(await available())).toBe(before);
  });

  it('is kept in suspense where it is too little, or nobody had the wallet at the block’s time', async () => {
    const [address, before] = [await world.allocate(account), Number(await world.booked('suspense:USDT'))];
    const small = (await world.record(address, '0.999999')).json();
    const early = (await world.record(address, '7', { at: '2026-01-01T00:00:00Z' })).json();
    expect([small.status, early.status]).toEqual(['uncredited', 'uncredited']);
    const rows = await world.api.database.query<{ failure: string }>(
      'select failure from transfers where id = any($1) order by failure',
      [[small.id, early.id]],
    );
    expect(rows.map(({ failure }) => failure)).toEqual(['below_minimum', 'not_allocated']);
    expect(Number(await world.booked('suspense:USDT'))).toBeCloseTo(before + 7.999999, 6);
    const credited = await world.operator(
      ...['suspense', 'credit', early.id, '--account', account, '--reason', 'the payer named it'],
    );
    expect(credited.code).toBe(0);
  });

  it('is exchanged at the bid of its process where the account has another currency', async () => {
    const euro = await world.account('EUR');
    const address = await world.allocate(euro);
    const { id, status } = (await world.record(address, '10')).json();
    expect(status).toBe('confirming');
    expect(await world.look(id)).toBe('credited');
    const { bid } = world.api.services.parties.rates.rate('USDT', 'EUR');
    expect(await available(euro)).toBe(bid.times(10).toFixed(2, 1));
  });

  it('is taken back by a word, whatever the balance, and can be there again', async () => {
    const address = await world.allocate(account);
    const [hash, at] = [newHash(), new Date().toISOString()];
    const { id } = (await world.record(address, '40', { hash, at })).json();
    const before = Number(await available());
    const back = await world.takeBack(id);
    expect(back.json()).toEqual({ id, status: 'uncredited' });
    expect(Number(await available())).toBe(before - 40);
    const found = (await claim({ address, txHash: hash })).body;
    expect(found).toMatchObject({ status: 'uncredited', failure: 'reversed_on_chain' });
    expect(await events(id, found.referenceId)).toEqual([
      ...['deposit/crypto', 'credited', 'withdraw/crypto_reversed', 'uncredited'],
    ]);
    expect(await world.look(id)).toBe('uncredited');
    const twice = await world.takeBack(id);
    expect([twice.code, JSON.parse(twice.err).code]).toEqual([4, 'invalid_transition']);
    expect((await world.record(address, '40', { hash, at })).json()).toEqual({ id, status: 'credited' });
    expect(Number(await available())).toBe(before);
  });

  it('that was told wrong is taken back and told again, whatever was wrong of it', async () => {
    const [address, other] = [await world.allocate(account), await world.allocate(account)];
    const [hash, before] = [newHash(), Number(await available())];
    let amount = '400';
    let told: Record<string, string> = { hash, at: new Date().toISOString(), block: '70000001' };
    let wrong = (await world.record(address, amount, told)).json();
    const right: Record<string, string>[] = [{ amount: '40' }, { block: '70000002' }, { from: TREASURY }];
    for (const given of [...right, { address: other }, { at: new Date().toISOString() }]) {
      expect((await world.takeBack(wrong.id)).json()).toEqual({ id: wrong.id, status: 'uncredited' });
      ({ amount = amount, ...told } = { ...told, ...given });
      const next = (await world.record(address, amount, told)).json();
      expect(next).toEqual({ id: expect.stringMatching(/^cdp_/), status: 'credited' });
      expect(next.id).not.toBe(wrong.id);
      // What was told of it before is over: nothing but its own record names it.
      expect(JSON.parse((await world.takeBack(wrong.id)).err).code).toBe('invalid_transition');
      expect(Number(await available())).toBe(before + 40);
      wrong = next;
    }
    expect((await claim({ address: other, txHash: hash })).body).toMatchObject({
      ...{ id: wrong.id, status: 'credited', amount: '40.000000' },
    });
  });

  it('is credited to whom the time names that was told last, and weighed so', async () => {
    const [address, hash, other] = [await world.allocate(account), newHash(), await world.api.client()];
    const second = await world.account('USDT', other);
    await world.release(address);
    await heldBefore(address, { clientId: other.clientId, accountId: second });
    const [hoursAgo, now] = [2, 0].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString());
    const first = await available();
    const { id } = (await world.record(address, '70', { hash, at: now! })).json();
    expect(await available(second)).toBe('70.000000');
    await world.takeBack(id);
    await setAdminLimit(world.api.database, '60');
    const asked = (await world.record(address, '70', { hash, at: hoursAgo! })).json();
    expect(asked.approval).toMatchObject({ subject: account });
    await world.second('approval', 'approve', asked.approval.id);
    await setAdminLimit(world.api.database, '1000000');
    expect([Number(await available()), await available(second)]).toEqual([Number(first) + 70, '0.000000']);
  });

  it('is one transfer, whatever the ordinal, unless a further one is meant', async () => {
    const [address, hash, before] = [await world.allocate(account), newHash(), Number(await available())];
    const at = new Date().toISOString();
    const both = await Promise.all(
      ['0', '1'].map((ordinal) => world.record(address, '8', { hash, at, ordinal })),
    );
    expect(both.map(({ code }) => code).sort()).toEqual([0, 4]);
    const { id } = both.find(({ code }) => code === 0)!.json();
    const { field, message } = JSON.parse(both.find(({ code }) => code !== 0)!.err);
    expect([field, message]).toEqual(['ordinal', expect.stringContaining(id)]);
    expect(Number(await available())).toBe(before + 8);
    await setAdminLimit(world.api.database, '5');
    const asked = (await world.record(address, '9', { hash, at, ordinal: '2', also: '' })).json();
    expect(asked.approval.terms).toMatchObject({ ordinal: 2, also: true, beside: [id] });
    const { result } = (await world.second('approval', 'approve', asked.approval.id, '--json')).json();
    await setAdminLimit(world.api.database, '1000000');
    expect(Number(await available())).toBe(before + 17);
    const named = (logIndex?: number) => claim({ address, txHash: hash, logIndex });
    expect((await named()).body.id).toBe(id);
    expect((await named(2)).body).toMatchObject({ id: result.id, logIndex: 2 });
    expect((await named(3)).body).toMatchObject({ code: 'invalid_transition', field: 'logIndex' });
  });

  it('that is taken back before there was a rate has ended, and can be there again', async () => {
    const euro = await world.account('EUR');
    const [address, hash, at] = [await world.allocate(euro), newHash(), new Date().toISOString()];
    const { id, status } = (await world.record(address, '10', { hash, at })).json();
    expect(status).toBe('confirming');
    expect((await world.takeBack(id)).json()).toEqual({ id, status: 'uncredited' });
    expect((await claim({ address, txHash: hash })).body.failure).toBe('reversed_on_chain');
    expect(await world.look(id)).toBe('uncredited');
    expect((await world.record(address, '10', { hash, at })).json()).toEqual({ id, status: 'confirming' });
    expect((await claim({ address, txHash: hash })).body).not.toHaveProperty('failure');
    expect(await world.look(id)).toBe('credited');
    expect(await world.api.database.query('select kind from breaks where subject = $1', [id])).toEqual([]);
  });

  it('takes two operators above the limit', async () => {
    await setAdminLimit(world.api.database, '1000');
    const address = await world.allocate(account);
    const before = await available();
    const asked = (await world.record(address, '5000')).json();
    expect(asked.approval).toMatchObject({ kind: 'chain-deposit.record', amount: '5000.000000' });
    expect(await available()).toBe(before);
    const { result } = (await world.second('approval', 'approve', asked.approval.id, '--json')).json();
    expect(result.status).toBe('credited');
    const back = await world.takeBack(result.id);
    expect(back.json().approval.amount).toBe('5000.000000');
    expect(Number(await available())).toBe(Number(before) + 5000);
    await setAdminLimit(world.api.database, '1000000');
  });
});

it('of a token with more decimals than the ledger has is rounded down, as nodes would have it', async () => {
  const usdc = { symbol: 'USDC', contract: PAYER, decimals: 8, minDeposit: '1' };
  const set = (assets: object[], version: number) =>
    expectOk(world.admin.call('PUT', '/v1/networks/tron', { ...NETWORK, assets, version }));
  const { version } = await set([...NETWORK.assets, usdc], 1);
  const address = await world.allocate(await world.account());
  const told = await world.record(address, '2.12345678', { asset: 'USDC' });
  const [row] = await world.api.database.query(
    `select terms->>'units' as units, terms->>'amount' as amount, terms->>'dust' as dust from transfers where id = $1`,
    [told.json().id],
  );
  expect(row).toEqual({ units: '212345678', amount: '2.123456', dust: '78' });
  const fine = await world.record(address, '2.123456789', { asset: 'USDC' });
  const nothing = await world.record(address, '0.00000099', { asset: 'USDC' });
  expect([fine, nothing].map(({ err }) => JSON.parse(err).field)).toEqual(['amount', 'amount']);
  await set(NETWORK.assets, version);
});

describe('what is refused leaves no trace', () => {
  it.each<[string, Record<string, string>, number, string]>([
    ['a chain that there is not', { chain: 'mars' }, 3, 'chain'],
    ['an address that is none of ours', { address: PAYER }, 3, 'address'],
    ['an address with a wrong checksum', { address: `${TREASURY.slice(0, -1)}d` }, 3, 'address'],
    ['an asset that the network has not', { asset: 'USDC' }, 2, 'asset'],
    ['nothing', { amount: '0' }, 2, 'amount'],
    ['more decimals than there are', { amount: '1.0000001' }, 2, 'amount'],
    ['what is no hash', { hash: 'ab' }, 2, 'txHash'],
    ['a sender that is no address', { from: '0x00' }, 2, 'from'],
    ['a block of tomorrow', { at: new Date(Date.now() + 86_400_000).toISOString() }, 2, 'blockAt'],
  ])('%s', async (_, given, code, field) => {
    const address = await world.allocate(account);
    const count = async () => (await world.api.database.query('select id from transfers')).length;
    const before = await count();
    const refused = await world.record(address, '10', given);
    expect([refused.code, JSON.parse(refused.err).field]).toEqual([code, field]);
    expect(await count()).toBe(before);
  });

  it('money of ours that only changes its place, and chains whose nodes are asked', async () => {
    const [address, other] = [await world.allocate(account), await world.allocate(account)];
    const own = await world.record(address, '10', { from: other });
    expect(JSON.parse(own.err).field).toBe('from');
    await world.api.database.query(
      `insert into networks (chain, name, kind, chain_id, rpc_urls, confirmations, enabled, assets, version, created_at, updated_at)
       values ('local', 'Local', 'evm', 31337, '', 2, false, '[]', 1, now(), now())`,
    );
    const asked = await world.record(address, '10', { chain: 'local' });
    expect([asked.code, JSON.parse(asked.err).field]).toEqual([4, 'chain']);
  });
});
