import type { RatesSettings } from '../../kernel/rates-settings';
import { createEcbRates } from './ecb';
import { createFileRates } from './file';
import type { RateSource } from './port';

/** How a source is asked and how long what it says is dealt on (decisions part 4, Exchange). */
export interface ConfiguredSource {
  source: RateSource;
  maxAgeSeconds: number;
  everyMs: number;
}

const HOUR_MS = 60 * 60_000;
/** From the beginning of the file's day: what was published before a weekend holds over it. */
const ECB_SECONDS = 5 * 24 * 60 * 60;

/** @throws StartupError for a file that cannot be dealt on */
export function configuredSource(settings: RatesSettings, now: () => Date): ConfiguredSource {
  const { halfSpreadBps } = settings;
  if (settings.source === 'file')
    return {
      source: createFileRates({ path: settings.path, halfSpreadBps, now }),
      ...{ maxAgeSeconds: Number.POSITIVE_INFINITY, everyMs: HOUR_MS },
    };
  return {
    source: createEcbRates({ url: settings.url, halfSpreadBps, now }),
    ...{ maxAgeSeconds: ECB_SECONDS, everyMs: HOUR_MS },
  };
}
