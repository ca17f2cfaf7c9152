import type { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { assertAsShown } from '../../../kernel/wire/shown-fields';
import type { DecisionSpec, Effect, SubjectSpec } from '../../../process/desk/decision';
import { isDualControlled } from '../../../process/limits/operations';
import { findNetwork } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { lockDerivation } from '../../wallets/operations';
import {
  applyGasTerms,
  type JudgedGasTerms,
  judgeGasTerms,
  lockGasConfig,
  requireGasConfig,
} from './operations';
import type { GasConfig, GasTerms } from './record';
import { type GasConfigBody, gasConfigBody, gasConfigView, SHOWN } from './view';

/** Name of the decision. */
export const GAS_CONFIG_CHANGE = 'gas-station.config';

/** Delay between the approval of a new treasury and its effect, so that a wrong one can still be stopped. */
const TREASURY_DELAY_MS = 24 * 3_600_000;

/** The gas station of a network as it is configured. */
export interface ConfiguredStation {
  network: Network;
  config: GasConfig;
}

/** The fields that the decision changes. The version is the desk's own. */
const changeInput = gasConfigBody.omit({
  version: true,
  chain: true,
  stationAddress: true,
  stationWalletId: true,
  createdAt: true,
  updatedAt: true,
  nextTreasury: true,
  pending: true,
});

type ChangeInput = z.output<typeof changeInput>;

const stations: SubjectSpec<ConfiguredStation> = {
  noun: 'network',
  kinds: [],
  async read(sql, chain) {
    const network = await findNetwork(sql, chain);
    return network && { network, config: await requireGasConfig(sql, network) };
  },
  async lock(tx, chain) {
    const network = await findNetwork(tx, chain);
    if (!network) return undefined;
    await lockDerivation(tx, network.kind);
    return { network, config: await lockGasConfig(tx, network) };
  },
  tenantOf: () => null,
};

/**
 * The change that a PUT, or an operator at the desk, makes. Under dual control two people send money to another address
 * or without a person, and a new treasury takes effect a day later.
 */
export const gasConfigChange: DecisionSpec<ConfiguredStation, ChangeInput> = {
  name: GAS_CONFIG_CHANGE,
  title: 'changes the configuration of a gas station; an absent field keeps its value',
  permission: 'chain',
  subject: stations,
  input: changeInput,
  takesTwo: {
    underDualControl: async (tx, { subject, input }) => isGuarded(await judged(tx, subject, input)),
  },
  restsOn: ({ config }) => ({ version: config.version }),
  kept: async (tx, { subject, input }) => keptTerms((await judged(tx, subject, input)).terms),
  async preview(tx, { subject, input }) {
    const given = await judged(tx, subject, input);
    return [...guardedChanges(given), ...otherChanges(given)];
  },
  async execute(tx, { subject, input, at }) {
    const { network, config } = subject;
    const given = await judged(tx, subject, input);
    const isDelayed = isGuarded(given) && (await isDualControlled(tx));
    const from = isDelayed ? new Date(at.getTime() + TREASURY_DELAY_MS) : undefined;
    const result = gasConfigView(await applyGasTerms(tx, network, given, from), network);
    return { before: gasConfigView(config, network), after: result, result };
  },
};

const judged = (
  tx: Tx,
  { network, config }: ConfiguredStation,
  input: ChangeInput,
): Promise<JudgedGasTerms> => judgeGasTerms(tx, network, config, { ...input, version: config.version });

/** Refuses a PUT by its version and its read-only fields. @throws Problem 400 naming the field, 409 `version_conflict` */
export async function assertPut(
  tx: Tx,
  { network, config }: ConfiguredStation,
  body: GasConfigBody,
): Promise<void> {
  assertAsShown(body, network, ['chain']);
  await judgeGasTerms(tx, network, config, body);
  assertAsShown(body, gasConfigView(config, network), SHOWN);
}

const isGuarded = (given: JudgedGasTerms): boolean => guardedChanges(given).length > 0;

/** Lists changes that send money to another address or without a person. Switching either off needs one person only. */
function guardedChanges({ before, terms }: JudgedGasTerms): Effect[] {
  const { treasuryAddress, autoSweep } = terms;
  const changes: Effect[] = [];
  if (treasuryAddress !== null && treasuryAddress !== before.treasuryAddress)
    changes.push({ field: 'treasuryAddress', from: before.treasuryAddress, to: treasuryAddress });
  if (autoSweep && !before.autoSweep) changes.push({ field: 'autoSweep', from: 'false', to: 'true' });
  return changes;
}

/** Lists the changes that one person may make. */
function otherChanges(given: JudgedGasTerms): Effect[] {
  const guarded = new Set(guardedChanges(given).map(({ field }) => field));
  const [before, after] = [keptTerms(given.before), keptTerms(given.terms)];
  return Object.entries(after)
    .map(([field, to]) => ({ field, from: textOf(before[field as keyof GasTerms]), to: textOf(to) }))
    .filter(({ field, from, to }) => from !== to && !guarded.has(field));
}

const textOf = (value: ReturnType<typeof keptTerms>[keyof GasTerms]): string | null => {
  if (value === null) return null;
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([symbol, amount]) => `${symbol} ${amount}`)
    .join(' ');
};

/** The terms as JSON of the input. */
const keptTerms = (terms: GasTerms) => ({
  gasThreshold: terms.gasThreshold.toFixed(),
  gasTopupAmount: terms.gasTopupAmount.toFixed(),
  maxGasPrice: terms.maxGasPrice?.toFixed() ?? null,
  dailyGasBudget: terms.dailyGasBudget?.toFixed() ?? null,
  minSweepAmount: Object.fromEntries(
    Object.entries(terms.minSweepAmount).map(([symbol, amount]) => [symbol, amount.toFixed()]),
  ),
  treasuryAddress: terms.treasuryAddress,
  sweepConfirmations: terms.sweepConfirmations,
  autoSweep: terms.autoSweep,
  sweepStrategy: terms.sweepStrategy,
});
