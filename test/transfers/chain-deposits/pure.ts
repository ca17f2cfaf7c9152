import { Decimal } from '../../../src/kernel/money/money';
import { chainDepositKind } from '../../../src/transfers/chain-deposits/kind';
import type {
  ChainDeposit,
  ChainDepositTerms,
  ChainDepositWord,
} from '../../../src/transfers/chain-deposits/record';
import { begun, looks, START } from '../engine/look';

/** Deposits and words of nodes for the pure rules. */

export const TERMS: ChainDepositTerms = {
  chain: 'local',
  txHash: '0x1',
  ordinal: 0,
  address: '0xA',
  from: '0xB',
  token: '0xT',
  asset: 'USDT',
  decimals: 6,
  units: '100000000',
  amount: new Decimal(100),
  dust: '0',
  blockNumber: 7,
  blockHash: '0xb7',
  blockAt: START.toISOString(),
  logIndex: 0,
  allocationId: 'wla_1',
  accountCurrency: 'USDT',
  minDeposit: new Decimal(1),
  confirmations: 3,
};

export const fresh = (
  terms: Partial<ChainDepositTerms> = {},
  accountId: string | null = 'acc_1',
): ChainDeposit =>
  begun<ChainDepositTerms, ChainDepositWord>({
    kind: 'chain_deposit',
    status: 'confirming',
    terms: { ...TERMS, ...terms },
    partyRef: 'local:0x1:0',
    orderedAt: START,
    accountId,
    tenantId: accountId && 'cli_1',
  });

export const says = (
  state: ChainDepositWord['state'],
  given: Partial<ChainDepositWord> = {},
): ChainDepositWord => ({
  state,
  blockNumber: 7,
  blockHash: '0xb7',
  logIndex: 0,
  units: TERMS.units,
  absentFrom: null,
  rate: null,
  ...given,
});

export const played = (from: ChainDeposit, ...words: ChainDepositWord[]) =>
  looks(
    chainDepositKind,
    from,
    words.map((word) => ({ word })),
  );

export const nobodys = fresh({ allocationId: null, accountCurrency: null }, null);
export const inEuro = fresh({ accountCurrency: 'EUR' });
export const [seen, final, absent, gone] = [says('seen'), says('final'), says('absent'), says('gone')];
