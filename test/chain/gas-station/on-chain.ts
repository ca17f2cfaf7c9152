import { type Address, erc20Abi, type Hex, parseEventLogs } from 'viem';
import { type TestStation, unitsOf } from './operations/support';

/** Balances of the chain's accounts by the books, or their growth since an earlier time. In 10⁻¹⁸. */
export type Movements = Record<(typeof ACCOUNTS)[number], bigint>;

const ACCOUNTS = [
  ...(['pool USDT', 'treasury USDT', 'pool ETH', 'station ETH', 'treasury ETH', 'gas ETH'] as const),
] as const;

/** The books, and the transactions behind them. */
export async function booksOf(world: TestStation): Promise<{ held: Movements; hashes: Set<Hex> }> {
  const held = nothing();
  for (const account of ACCOUNTS) {
    const [place, currency] = account.split(' ') as [Parameters<TestStation['held']>[0], string];
    held[account] = unitsOf(await world.held(place, currency));
  }
  const rows = await world.services.database.query<{ hash: Hex }>(
    'select tx_hash as hash from gas_operations where executed_at is not null union select tx_hash from station_topups',
  );
  return { held, hashes: new Set(rows.map(({ hash }) => hash)) };
}

/** Expects that the growth of the books equals the receipts of the newly booked transactions. */
export async function expectBooked(
  world: TestStation,
  before: Awaited<ReturnType<typeof booksOf>>,
): Promise<void> {
  const after = await booksOf(world);
  const booked = nothing();
  for (const account of ACCOUNTS) booked[account] = after.held[account] - before.held[account];
  const moved = nothing();
  for (const hash of after.hashes) if (!before.hashes.has(hash)) await addReceipt(world, hash, moved);
  expect(booked).toEqual(moved);
  expect(Object.values(moved).some((units) => units !== 0n)).toBe(true);
}

const nothing = () => Object.fromEntries(ACCOUNTS.map((account) => [account, 0n])) as Movements;

async function addReceipt(world: TestStation, hash: Hex, moved: Movements): Promise<void> {
  const { client } = world.chain;
  const { from, to, value } = await client.getTransaction({ hash });
  const receipt = await world.chain.receipt(hash);
  const add = async (address: Address | null, asset: 'ETH' | 'USDT', units: bigint) => {
    const place = address && (await placeOf(world, address));
    if (place) moved[`${place} ${asset}` as keyof Movements] += units;
    return place;
  };
  await add(to, 'ETH', value);
  await add(from, 'ETH', -value);
  const fee = receipt.gasUsed * receipt.effectiveGasPrice;
  if (await add(from, 'ETH', -fee)) moved['gas ETH'] += fee;
  const logs = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
  for (const { args, address } of logs) {
    expect(address.toLowerCase()).toBe(world.token.toLowerCase());
    const units = args.value * 10n ** BigInt(18 - world.decimals);
    await add(args.from, 'USDT', -units);
    await add(args.to, 'USDT', units);
  }
}

/** Undefined for an address that is not ours. */
async function placeOf({ services, treasury }: TestStation, address: Address) {
  if (address.toLowerCase() === treasury.toLowerCase()) return 'treasury';
  const [wallet] = await services.database.query<{ purpose: 'pool' | 'station' }>(
    'select purpose from wallets where lower(address) = lower($1)',
    [address],
  );
  return wallet?.purpose;
}
