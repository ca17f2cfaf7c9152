import { getAddress } from 'viem';
import { sweepAllData, sweepData } from '../../../src/chain/gas-station/strategies/delegate';
import { RAISE } from '../../../src/chain/signing/raise';
import type { AllowedNetwork } from '../../../src/chain/signing/rules';
import { createSums } from '../../../src/chain/signing/sums';
import { erc20Transfer } from '../../../src/parties/chain/evm/calls';
import type { UnsignedTransaction } from '../../../src/parties/chain/port';
import { requestApproval } from '../../../src/process/approvals/operations';
import { type TestDatabase, testDatabase } from '../../support/database';
import { testKeyring } from '../../support/keyring';

const TOKEN = getAddress(`0x${'2'.repeat(40)}`);
const WALLET = getAddress(`0x${'3'.repeat(40)}`);
const TREASURY = getAddress(`0x${'4'.repeat(40)}`);
const DAY = '2026-11-26';
const keyring = testKeyring();

const network: AllowedNetwork = {
  chain: 'local',
  chainId: 31_337,
  dailyFees: 10n ** 18n,
  dailySums: new Map([[TOKEN, { units: 100_000_000n, decimals: 6 }]]),
  treasuries: new Set([TREASURY]),
  tokens: new Set([TOKEN]),
  delegates: new Set(),
};
const transfer = (nonce: number, units: bigint, maxFeePerGas = 1n): UnsignedTransaction => ({
  chainId: 31_337,
  nonce,
  from: WALLET,
  to: TOKEN,
  value: 0n,
  data: erc20Transfer(TREASURY, units),
  gas: 60_000n,
  maxFeePerGas,
  maxPriorityFeePerGas: 1n,
});
const own = { isOwnRecipient: false };

describe('the sum of a day', () => {
  let db: TestDatabase;
  let at: Date;
  beforeEach(async () => {
    db = await testDatabase();
    at = new Date(`${DAY}T12:00:00Z`);
  });
  afterEach(() => db.drop());

  const signer = () => createSums({ database: db.database, keyring, now: () => at });
  const take = (nonce: number, units: bigint, by = signer()) => by.take(network, transfer(nonce, units), own);

  it('is exact when two signing processes race, and after a restart', async () => {
    const both = [signer(), signer()];
    const all = Array.from({ length: 24 }, (_, nonce) => take(nonce, 10_000_000n, both[nonce % 2]));
    expect((await Promise.all(all)).filter((refusal) => refusal === undefined)).toHaveLength(10);
    expect(await take(99, 1n)).toContain(`The day's sum of ${TOKEN} on local does not hold it.`);
    at = new Date('2026-11-27T00:00:00Z');
    expect(await take(99, 1n)).toBeUndefined();
  });

  it('counts a repeat once, another attempt by what it adds, and nothing of what is refused', async () => {
    expect(await take(1, 60_000_000n)).toBeUndefined();
    expect(await take(1, 60_000_000n)).toBeUndefined();
    expect(await take(1, 70_000_000n)).toBeUndefined();
    expect(await take(2, 40_000_000n)).toContain('does not hold it');
    expect(await take(3, 30_000_000n)).toBeUndefined();
    const sums = await db.database.query(`select asset, units::text from signing_sums order by asset`);
    expect(sums).toEqual([
      { asset: TOKEN, units: '100000000' },
      { asset: 'gas', units: '120000' },
    ]);
  });

  it('holds the fees of a day, too', async () => {
    const dear = transfer(1, 1n, 10n ** 18n);
    expect(await signer().take(network, dear, own)).toContain("The day's sum of gas");
  });

  it('counts a top-up of an own wallet as nothing, and delegated sweeps by what they name', async () => {
    const topup = { ...transfer(1, 0n), to: WALLET, value: 10n ** 18n, data: '0x' };
    const sums = new Map([['native', { units: 1n, decimals: 18 }]]);
    const of = { ...network, dailySums: sums };
    expect(await signer().take(of, topup, { isOwnRecipient: true })).toBeUndefined();
    expect(await signer().take(of, { ...topup, nonce: 2 }, own)).toContain('sum of native');
    const parts = [30_000_000n, 40_000_000n].map((units) => ({ wallet: WALLET, units }));
    const batch = { ...transfer(3, 0n), data: sweepAllData(TOKEN, parts, 9n) };
    expect(await signer().take(network, batch, own)).toBeUndefined();
    const single = { ...transfer(4, 0n), to: WALLET, data: sweepData(TOKEN, 30_000_001n) };
    expect(await signer().take(network, single, { isOwnRecipient: true })).toContain('does not hold it');
  });

  /** A raise as the desk stores it, approved by another operator. */
  async function raised(amount: string, given: { day?: string; sealedBy?: typeof keyring | null } = {}) {
    const { day = DAY, sealedBy = keyring } = given;
    const { id } = await db.database.transaction((tx) =>
      requestApproval(tx, sealedBy, {
        kind: RAISE,
        subject: 'local',
        tenantId: null,
        money: null,
        terms: { asset: TOKEN, day, amount },
        reason: 'quarter end',
        requestedBy: 'operator:ida',
        requestedAt: at,
        permission: 'chain',
      }),
    );
    await db.database.query(
      `update approvals set status = 'approved', decided_by = 'operator:bob', decided_at = $2 where id = $1`,
      [id, at],
    );
  }

  it('is raised by two operators, for its day and by their amount alone', async () => {
    expect(await take(1, 100_000_000n)).toBeUndefined();
    expect(await take(2, 5_000_000n)).toContain('Two operators may raise it');
    await raised('4', { day: '2026-11-25' });
    await raised('4', { sealedBy: null });
    expect(await take(2, 5_000_000n)).toContain('does not hold it');
    await raised('5.5');
    expect(await take(2, 5_000_000n)).toBeUndefined();
    expect(await take(3, 500_000n)).toBeUndefined();
    expect(await take(4, 1n)).toContain('does not hold it');
  });
});
