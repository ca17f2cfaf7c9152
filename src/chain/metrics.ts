import { sample } from '../kernel/metrics/definitions';
import type { Reading } from '../kernel/metrics/readings';
import { lastReadings } from './reconciliation/readings';

export const chainReading: Reading = {
  name: 'chains',
  gauges: ['chain_difference'],
  read: async (sql) =>
    (await lastReadings(sql)).map(({ chain, place, asset, reported, booked, unbooked }) =>
      sample('chain_difference', { chain, place, asset }, reported.minus(booked).minus(unbooked).toNumber()),
    ),
};
