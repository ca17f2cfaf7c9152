import { request } from 'undici';
import type { Decimal } from '../../kernel/money/money';
import { PartyAway } from '../../process/party-errors';
import { textOf } from '../protocol/text-of';
import { readEcbFile } from './ecb-file';
import type { RateSource, ReadRates } from './port';

export interface EcbOptions {
  url: string;
  halfSpreadBps: Decimal;
  now: () => Date;
  timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
/**
 * How long a downloaded file is reused. Once the file is too old, every request for a price would download it again.
 */
const TOLD_AGAIN_MS = 5 * 60_000;

/** The ECB's file of the day, published on its working days at about 16:00 in Frankfurt. */
export function createEcbRates({ url, halfSpreadBps, now, timeoutMs = TIMEOUT_MS }: EcbOptions): RateSource {
  let last: { read: ReadRates; at: number } | undefined;
  return {
    async read() {
      const at = now().getTime();
      if (last && at - last.at < TOLD_AGAIN_MS) return last.read;
      const read = readEcbFile(await download(url, timeoutMs), halfSpreadBps);
      last = { read, at };
      return read;
    },
  };
}

/** @throws PartyAway */
async function download(url: string, timeoutMs: number): Promise<string> {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(timeoutMs) });
    const text = await textOf(body);
    if (statusCode !== 200) throw new PartyAway(`the ECB answered ${statusCode}`);
    return text;
  } catch (error) {
    throw error instanceof PartyAway ? error : new PartyAway('the ECB did not answer');
  }
}
