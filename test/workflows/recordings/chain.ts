import { DEADLINE, ends, followed, type RecordedWorkflows, waits, watcher } from './recording';

const ALLOCATION = 'wla_01h455vb4pex5vsknk084sn02q';
const SWEEP = 'swp_01h455vb4pex5vsknk084sn02q';
const CHAIN_DEPOSIT = 'cdp_01h455vb4pex5vsknk084sn02q';

const watched = watcher(['local'], 'watchChain', true);

export const CHAIN_RECORDINGS = {
  chainDeposit: followed(
    CHAIN_DEPOSIT,
    'advanceChainDeposit',
    { waiting: 'confirming', ended: 'credited' },
    {
      credited: {
        answers: ['!ChainAway', waits('confirming', DEADLINE), ends('credited')],
        look: 'with-start',
      },
    },
  ),
  gasOperation: followed(
    SWEEP,
    'advanceGasOperation',
    { waiting: 'confirming', ended: 'failed' },
    {
      'by-itself': {
        answers: [
          waits('pending', DEADLINE),
          '!PartyAway',
          waits('confirming', DEADLINE),
          waits('confirming', DEADLINE),
          ends('completed'),
        ],
      },
      told: { answers: [waits('awaiting_confirmation', DEADLINE), ends('completed')], look: 'with-start' },
      expired: { answers: [waits('pending', DEADLINE), ends('expired')] },
    },
  ),
  walletAllocation: followed(
    ALLOCATION,
    'advanceAllocation',
    { waiting: 'allocated', ended: 'released' },
    {
      expired: { answers: [waits('allocated', DEADLINE), ends('expired')] },
      told: { answers: [waits('allocated', DEADLINE), ends('released')], look: 'with-start' },
    },
  ),
  chainReading: {
    args: [],
    paths: { read: { answers: { chainsToCompare: [['local']], keepChainReading: ['!ChainAway', null] } } },
  },
  chainWatcher: {
    ...watched,
    paths: { ...watched.paths, ended: { answers: { watchChain: [true, false] } } },
  },
  gasAutoSweep: {
    args: [],
    paths: { ordered: { answers: { orderAutoSweeps: ['!PartyAway', 3] } } },
  },
} satisfies RecordedWorkflows;
