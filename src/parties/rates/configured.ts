import type { RatesSettings } from '../../kernel/config/rates';
import { createEcbRates } from './ecb';
import { createFileRates } from './file';
import type { RateSource } from './port';

/** A source, how often it is asked, and how long its rates may be used (decisions part 4, Exchange). */
export interface ConfiguredSource {
  source: RateSource;
  maxAgeSeconds: number;
  everyMs: number;
}

const HOUR_MS = 60 * 60_000;
/** Counted from the start of the file's day, so that a file from before a weekend lasts over it. */
const ECB_SECONDS = 5 * 24 * 60 * 60;

/** @throws StartupError for a file whose rates are unusable */
export function configuredSource(settings: RatesSettings, now: () => Date): ConfiguredSource {
  const { halfSpreadBps } = settings;
  if (settings.source === 'file')
    return {
      source: createFileRates({ path: settings.path, halfSpreadBps, now }),
      maxAgeSeconds: Number.POSITIVE_INFINITY,
      everyMs: HOUR_MS,
    };
  return {
    source: createEcbRates({ url: settings.url, halfSpreadBps, now }),
    maxAgeSeconds: ECB_SECONDS,
    everyMs: HOUR_MS,
  };
}
